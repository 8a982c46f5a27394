import type { Conversation } from '@varve/agent';
import type { PreparedAgent } from '@varve/settings/agent';
import type { RunOptions } from '../run/run-options.ts';
import { settingsFor } from '../setup/settings.ts';
import type { TerminalIo } from '../terminal/terminal-io.ts';
import { branchOf, type FooterState } from './footer.ts';

/** Names of policies by the kind of their spec. */
const policies: Readonly<Record<string, string>> = {
  NeverConfirm: 'never',
  AlwaysConfirm: 'always',
  ConfirmRisky: 'auto',
};

/** Returns the name of a policy in settings; undefined for one of a program. */
export function policyNameOf({ spec }: Pick<Conversation['confirmation'], 'spec'>): string | undefined {
  return policies[(spec as { readonly kind?: string } | undefined)?.kind ?? ''];
}

/** Returns what the footer shows of an open conversation. */
export function stateOfOpen({ confirmation, state }: Conversation, { agent }: PreparedAgent): FooterState {
  const { name, capabilities } = agent.model;
  const policy = policyNameOf(confirmation);
  return {
    isReadOnly: false,
    model: name,
    ...(capabilities.contextWindow !== undefined && { contextWindow: capabilities.contextWindow }),
    ...(policy !== undefined && { policy }),
    usage: state.stats.total,
  };
}

/** Returns what the footer shows before a conversation is stored. */
export async function stateOfNew({ workspace, model, confirm }: RunOptions, io: TerminalIo): Promise<FooterState> {
  const settings = await settingsFor(io, { workspace: workspace ?? io.cwd });
  const name = model ?? settings.get('llm.model');
  return {
    ...(name !== undefined && { model: name }),
    policy: confirm ?? settings.get('confirmation.policy') ?? 'auto',
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
