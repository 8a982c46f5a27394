import { createHash } from 'node:crypto';
import type { Dialect } from './dialect.ts';

/** Accepted ids, and the number of hex digits of the digest that replaces any other id. */
const forms = {
  nine: { pattern: /^[A-Za-z0-9]{9}$/, prefix: '', digits: 9 },
  plain: { pattern: /^[A-Za-z0-9_-]{1,40}$/, prefix: 'call_', digits: 24 },
} as const;

/** Returns the id of a call in the form that a server accepts; the same in every request, in calls and in results. */
export function wireCallId(id: string, rule: Dialect['callIds']): string {
  if (rule === 'free' || forms[rule].pattern.test(id)) return id;
  const { prefix, digits } = forms[rule];
  return prefix + createHash('sha256').update(id).digest('hex').slice(0, digits);
}
