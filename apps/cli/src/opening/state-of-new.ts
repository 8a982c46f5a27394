import { modelAddress } from '@varve/settings/agent';
import { modelOptions } from '../home/configured-model.ts';
import { settingsFor } from '../home/settings.ts';
import type { TerminalIo } from '../terminal/terminal-io.ts';
import type { ConfirmMode } from './confirm-modes.ts';
import { flagsOf } from './run-flags.ts';
import type { RunOptions } from './run-options.ts';

/** Model and mode of a conversation. */
export interface StateOfNew {
  readonly model?: string;
  readonly mode: ConfirmMode;
}

/** Returns the model and the mode that a new conversation would have. */
export async function stateOfNew(options: RunOptions, io: TerminalIo): Promise<StateOfNew> {
  const settings = await settingsFor(io, { workspace: options.workspace ?? io.cwd, flags: flagsOf(options) });
  // Without a model or its key, the first message reports what is missing.
  const address = await modelAddress(modelOptions(io, { settings })).catch(() => undefined);
  return {
    ...(address && { model: address.model }),
    mode: settings.get('confirmation.policy') ?? 'auto',
  };
}
