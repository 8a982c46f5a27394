import type { Conversation } from '@varve/agent';
import { withRules } from '@varve/agent/confirmation';
import { confirmationFromSettings } from '@varve/settings/agent';
import { permissionStore } from '@varve/settings/trust';
import type { ConfirmMode } from './confirm-modes.ts';
import { settingsFor } from '../home/settings.ts';
import { varveHome } from '../home/varve-home.ts';
import type { TerminalIo } from '../terminal/terminal-io.ts';

/** Returns the policy of a mode with the rules of the person for a directory. */
export async function policyOfMode(
  mode: ConfirmMode,
  workspace: string,
  io: TerminalIo,
): Promise<Conversation['confirmation']> {
  const flags = [{ key: 'confirmation.policy', value: mode, flag: '--confirm' }] as const;
  const policy = confirmationFromSettings(await settingsFor(io, { workspace, flags }));
  const rules = await permissionStore(varveHome(io)).list(workspace);
  return withRules(
    policy,
    rules.map(({ rule }) => rule),
  );
}
