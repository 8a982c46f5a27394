import type { ConfirmationPolicy } from './confirmation-policy.ts';

/** Asks before every reply with calls, except one that only thinks or finishes. */
export function alwaysConfirm(): ConfirmationPolicy {
  return { spec: { kind: 'AlwaysConfirm' }, review: () => ({ asks: true }) };
}
