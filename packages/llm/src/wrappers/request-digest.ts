import { createHash } from 'node:crypto';
import type { ModelRequest } from '../model-request.ts';
import { redactJson } from '../redact.ts';

/**
 * The same 64 hex digits for the same request, whatever the order of keys and whichever secrets it holds. The cache key is no
 * part of it.
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
