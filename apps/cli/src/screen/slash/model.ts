import { listModels, providers } from '@varve/llm';
import { modelAddress } from '@varve/settings/agent';
import { modelOptions } from '../../home/configured-model.ts';
import { settingsFor } from '../../home/settings.ts';
import { varveHome } from '../../home/varve-home.ts';
import { flagsOf } from '../../opening/run-flags.ts';
import type { RunOptions } from '../../opening/run-options.ts';
import type { Session } from '../session.ts';
import type { SessionCommand } from '../session-command.ts';

/** Row of the choice, and the options that choosing it sets. */
interface Offer {
  readonly label: string;
  readonly description: string;
  readonly changes: Pick<RunOptions, 'profile' | 'model' | 'baseUrl'>;
}

/** Changes the model from the next message on. */
export const model: SessionCommand = {
  name: 'model',
  argument: '[NAME]',
  description: 'changes the model: a profile, a model that the server lists, or a name as in --model',
  async run(session, argument) {
    const { modelProfiles } = await import('@varve/settings/profiles');
    const profiles = (await modelProfiles(varveHome(session.io)).list()).map(({ name }): Offer => ({
      label: name,
      description: 'profile',
      changes: { profile: name },
    }));
    if (argument !== '') {
      const named = profiles.find(({ label }) => label === argument);
      await session.reopen(named?.changes ?? { model: argument });
      return;
    }
    const offers = [...profiles, ...(await listedOffers(session))];
    if (offers.length === 0) {
      session.screen.print('There are no model profiles. `/model NAME` names a model of the same server.', 'yellow');
      return;
    }
    const items = offers.map(({ label, description }, index) => ({ value: String(index), label, description }));
    const chosen = offers[Number((await session.screen.choose({ title: 'Model', items })) ?? -1)];
    if (chosen) await session.reopen(chosen.changes);
  },
};

/** Returns the models that the configured server lists: a server that only a log names is asked for none. */
async function listedOffers({ io, options, workspace }: Session): Promise<readonly Offer[]> {
  const settings = await settingsFor(io, { workspace, flags: flagsOf(options) });
  // Without a model or its key, the first message reports what is missing.
  const address = await modelAddress(modelOptions(io, { settings })).catch(() => undefined);
  if (!address) return [];
  const { baseUrl, apiKey } = address;
  const listed = (await listModels({ baseUrl, ...(apiKey !== undefined && { apiKey }) })) ?? [];
  const [provider] = Object.entries(providers).find((entry) => entry[1].baseUrl === baseUrl) ?? [];
  return listed.map((name) => ({
    label: name,
    description: new URL(baseUrl).host,
    changes: provider === undefined ? { model: name, baseUrl } : { model: `${provider}/${name}` },
  }));
}
