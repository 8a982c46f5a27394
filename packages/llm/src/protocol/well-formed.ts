/**
 * A JSON value in which every string is well-formed Unicode: half a surrogate pair, as cut text leaves behind, becomes
 * U+FFFD, because providers reject the whole request over one. The value itself is not changed; it is returned when it is
 * well-formed already.
 */
export function withWellFormedText<T>(value: T): T {
  return isWellFormed(value) ? value : (repaired(value) as T);
}

/** Looks before anything is copied: requests are long, and nearly all are well-formed. */
function isWellFormed(value: unknown): boolean {
  if (typeof value === 'string') return value.isWellFormed();
  if (Array.isArray(value)) return value.every(isWellFormed);
  if (typeof value !== 'object' || value === null) return true;
  return Object.entries(value).every(([key, item]) => key.isWellFormed() && isWellFormed(item));
}

function repaired(value: unknown): unknown {
  if (typeof value === 'string') return value.toWellFormed();
  if (Array.isArray(value)) return value.map(repaired);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key.toWellFormed(), repaired(item)]));
}
