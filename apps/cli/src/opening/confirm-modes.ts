import type { Conversation } from '@varve/agent';
import { text, type Content, type Json } from '@varve/events';

/** Modes of confirmation, from the strictest on: add a row, and the setting `confirmation.policy` has one more. */
export const confirmModes = [
  { id: 'plan', name: 'Plan', asks: 'nothing, and only reading runs', kind: 'OnlyReading' },
  { id: 'ask', name: 'Ask', asks: 'every call', kind: 'AlwaysConfirm' },
  { id: 'edits', name: 'Edits', asks: 'all but edits and reading', kind: 'ConfirmAllButEdits' },
  { id: 'auto', name: 'Auto', asks: 'risky calls', kind: 'ConfirmRisky' },
  { id: 'never', name: 'Never ask', asks: 'nothing', kind: 'NeverConfirm' },
] as const;

/** Name of a mode, as in `--confirm`. */
export type ConfirmMode = (typeof confirmModes)[number]['id'];

/** Names of all modes. */
export const confirmNames: readonly ConfirmMode[] = confirmModes.map(({ id }) => id);

/** Returns what is asked about in each mode, for a help text. */
export function confirmHelp(): string {
  return confirmModes.map(({ id, asks }) => `${id}: ${asks}`).join('; ');
}

/** Returns the mode of a policy; undefined for one of a program. */
export function modeOf({ spec }: Pick<Conversation['confirmation'], 'spec'>): ConfirmMode | undefined {
  const { kind } = (spec ?? {}) as { readonly kind?: string };
  return confirmModes.find((mode) => mode.kind === kind)?.id;
}

/**
 * Returns the mode in which a program continues a conversation: its own one. Undefined keeps the policy of the
 * conversation, which asks about more, or is not one of these modes.
 */
export function modeOfClient(policy: Json | undefined, own: ConfirmMode): ConfirmMode | undefined {
  if (policy === undefined) return own;
  const mode = modeOf({ spec: policy });
  return mode !== undefined && confirmNames.indexOf(mode) >= confirmNames.indexOf(own) ? own : undefined;
}

/** What a message in the mode `plan` adds for the model. */
const planText =
  'Plan mode for this message: only reading runs, and all else is denied. Answer with a plan: the goal, the steps in order with the files that each one changes, and how to check the result.';

/** Returns what the messages of a conversation contain for the model because of its mode. */
export function modeContent({ confirmation }: Pick<Conversation, 'confirmation'>): readonly Content[] {
  return modeOf(confirmation) === 'plan' ? [text(planText)] : [];
}

/** Returns the mode after one, without the one that asks about nothing: that is only chosen by its name. */
export function nextMode(mode: string | undefined): ConfirmMode {
  const cycle = confirmNames.filter((id) => id !== 'never');
  return cycle[(cycle.findIndex((id) => id === mode) + 1) % cycle.length] ?? 'plan';
}
