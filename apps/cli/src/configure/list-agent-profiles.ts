import { randomUUID } from 'node:crypto';
import { agentProfiles } from '@varve/settings/profiles';
import { settingsFor } from '../home/settings.ts';
import { varveHome } from '../home/varve-home.ts';
import { columnsOf, padded } from '../terminal/columns.ts';
import { styled } from '../terminal/output.ts';
import type { TerminalIo } from '../terminal/terminal-io.ts';

/** Prints all agent profiles with their model profile, and the one in use; broken ones with the reason. */
export async function listAgentProfiles(io: TerminalIo): Promise<void> {
  const home = varveHome(io);
  const listed = await agentProfiles(home, randomUUID).list();
  const used = (await settingsFor(io)).get('agent_profile');
  const width = Math.max(0, ...listed.map(({ name }) => columnsOf(name)));
  for (const each of listed) {
    const what = 'problem' in each ? styled('red', each.problem) : (each.record.llm_profile_ref ?? '');
    const use = each.name === used ? '  (in use)' : '';
    io.stdout.line([styled('cyan', padded(each.name, width)), '  ', what, styled('dim', use)]);
  }
  if (listed.length === 0) io.stderr.line(styled('dim', `There are no agent profiles in ${home}/agent-profiles.`));
}
