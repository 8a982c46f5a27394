import type { ConfirmationPolicy } from './confirmation-policy.ts';

/** Runs everything without asking. */
export function neverConfirm(): ConfirmationPolicy {
  return { spec: { kind: 'NeverConfirm' }, review: () => ({ asks: false }) };
}
