/**
 * Milliseconds that a provider asks to wait, from `retry-after-ms`, or `retry-after` in seconds or as a date; a moment
 * that has passed is 0. Absent when it asks nothing readable.
 *
 * @see https://www.rfc-editor.org/rfc/rfc9110#field.retry-after
 */
export function retryAfter(headers: Headers, now: number = Date.now()): number | undefined {
  const exact = numberOf(headers.get('retry-after-ms'));
  if (exact !== undefined) return exact;
  const value = headers.get('retry-after');
  const seconds = numberOf(value);
  if (seconds !== undefined) return seconds * 1000;
  const date = Date.parse(value ?? '');
  return Number.isNaN(date) ? undefined : Math.max(0, date - now);
}

function numberOf(value: string | null): number | undefined {
  return value !== null && /^\s*\d+(?:\.\d+)?\s*$/.test(value) ? Number(value) : undefined;
}
