import type { SessionCommand } from '../session-command.ts';
import { varveHome } from '../../home/varve-home.ts';

/** Changes the model from the next message on. */
export const model: SessionCommand = {
  name: 'model',
  argument: '[NAME]',
  description: 'changes the model: a profile, or a name as in --model',
  async run(session, argument) {
    const { modelProfiles } = await import('@varve/settings/profiles');
    const profiles = await modelProfiles(varveHome(session.io)).list();
    const items = profiles.map(({ name }) => ({ value: name, label: name }));
    if (argument === '' && items.length === 0) {
      session.screen.print('There are no model profiles. `/model NAME` names a model of the same server.', 'yellow');
      return;
    }
    const chosen = argument === '' ? await session.screen.choose({ title: 'Model profile', items }) : argument;
    if (chosen === undefined) return;
    const isProfile = items.some(({ value }) => value === chosen);
    await session.reopen(isProfile ? { profile: chosen } : { model: chosen });
  },
};
