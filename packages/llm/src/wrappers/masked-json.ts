import { masked } from '../redact.ts';

/** A JSON value in which every string, keys included, is masked. */
export function maskedJson<T>(value: T, secrets: readonly string[]): T {
  return mask(value, secrets) as T;
}

function mask(value: unknown, secrets: readonly string[]): unknown {
  if (typeof value === 'string') return masked(value, secrets);
  if (Array.isArray(value)) return value.map((item) => mask(item, secrets));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [masked(key, secrets), mask(item, secrets)]));
}
