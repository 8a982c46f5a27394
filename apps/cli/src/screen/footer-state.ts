import type { Conversation } from '@varve/agent';
import type { PreparedAgent } from '@varve/settings/agent';
import { modeOf } from '../opening/confirm-modes.ts';
import type { RunOptions } from '../opening/run-options.ts';
import { settingsFor } from '../home/settings.ts';
import type { TerminalIo } from '../terminal/terminal-io.ts';
import { branchOf, type FooterState } from './footer.ts';

/** Returns what the footer shows of an open conversation. */
export function stateOfOpen({ confirmation, state }: Conversation, { agent }: PreparedAgent): FooterState {
  const { name, capabilities } = agent.model;
  const mode = modeOf(confirmation);
  return {
    isReadOnly: false,
    model: name,
    ...(capabilities.contextWindow !== undefined && { contextWindow: capabilities.contextWindow }),
    ...(mode !== undefined && { mode }),
    usage: state.stats.total,
  };
}

/** Returns what the footer shows of a directory. */
export async function stateOfPlace(
  directory: string,
  { sandbox, workspaceServer }: RunOptions,
  io: TerminalIo,
): Promise<Pick<FooterState, 'branch' | 'sandbox'>> {
  const settings = await settingsFor(io, { workspace: directory });
  const isRemote = (workspaceServer ?? settings.get('workspace.server')) !== undefined;
  const branch = await branchOf(directory);
  return {
    ...(branch !== undefined && { branch }),
    // Commands on an agent-server are outside of the sandbox of this machine.
    sandbox: isRemote ? 'none here' : (sandbox ?? settings.get('sandbox.profile') ?? 'auto'),
  };
}
