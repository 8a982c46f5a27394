import { createHash } from 'node:crypto';
import type { ModelRequest } from '../model-request.ts';
import { redactJson } from '../redact.ts';

/**
 * Returns 64 hex digits that identify a request, independent of the order of keys, of the secrets and of the cache key.
 */
export function requestDigest({ messages, tools, parameters }: ModelRequest, secrets: readonly string[] = []): string {
  const safe = redactJson({ messages, tools, parameters }, secrets);
  return createHash('sha256')
    .update(JSON.stringify(sortKeys(safe)))
    .digest('hex');
}

function sortKeys(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sortKeys);
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).filter(([, item]) => item !== undefined);
  return Object.fromEntries(
    entries.toSorted(([a], [b]) => (a < b ? -1 : 1)).map(([key, item]) => [key, sortKeys(item)]),
  );
}
