import { createHash } from 'node:crypto';
import type { Dialect } from './dialect.ts';

/** How an id must look that a server takes, and how many hex digits of a digest stand for one that does not. */
const forms = {
  nine: { fits: /^[A-Za-z0-9]{9}$/, prefix: '', digits: 9 },
  plain: { fits: /^[A-Za-z0-9_-]{1,40}$/, prefix: 'call_', digits: 24 },
} as const;

/** The id of a call as a server takes it: the same in every request, in calls and in results. */
export function wireCallId(id: string, rule: Dialect['callIds']): string {
  if (rule === 'free' || forms[rule].fits.test(id)) return id;
  const { prefix, digits } = forms[rule];
  return prefix + createHash('sha256').update(id).digest('hex').slice(0, digits);
}
