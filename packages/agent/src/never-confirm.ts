import type { ConfirmationPolicy } from './confirmation.ts';

/** Runs everything without asking. */
export function neverConfirm(): ConfirmationPolicy {
  return { spec: { kind: 'NeverConfirm' }, asks: () => false };
}
