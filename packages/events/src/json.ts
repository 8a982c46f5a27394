/** Value that `JSON.parse(JSON.stringify(value))` preserves. */
export type Json = null | boolean | number | string | readonly Json[] | { readonly [key: string]: Json | undefined };

/** Maximum nesting depth: enough for any real record, and safe for the stack of `JSON.stringify` and other parsers. */
export const maxDepth = 200;

/**
 * Returns why `JSON.parse(JSON.stringify(value))` would not preserve a value, as a predicate such as "holds the number
 * NaN". Returns undefined if it would. Cycles count as infinite nesting, undefined properties as absent.
 */
export function jsonProblem(value: unknown, depth = 0): string | undefined {
  if (typeof value === 'string' || typeof value === 'boolean' || value === null) return undefined;
  if (typeof value === 'number') return Number.isFinite(value) ? undefined : `holds the number ${value}`;
  if (typeof value !== 'object') return `holds a ${typeof value}`;
  if (depth >= maxDepth) return `is nested deeper than ${maxDepth} levels`;
  if (!Array.isArray(value)) return objectProblem(value, depth);
  for (const item of value) {
    const problem = jsonProblem(item, depth + 1);
    if (problem) return problem;
  }
  return undefined;
}

function objectProblem(value: object, depth: number): string | undefined {
  const tag = Object.prototype.toString.call(value);
  if (tag !== '[object Object]' || ('toJSON' in value && typeof value.toJSON === 'function')) {
    return `holds a value of type ${tag.slice(8, -1)}`;
  }
  for (const child of Object.values(value)) {
    const problem = child === undefined ? undefined : jsonProblem(child, depth + 1);
    if (problem) return problem;
  }
  return undefined;
}

/** Result of {@link freezeAndScan}. */
export interface LossScan {
  /** Reason why the value cannot be typed without loss, as a predicate. */
  problem?: string;
  /** Number of properties named `__proto__`, which schemas drop silently. */
  protoKeys: number;
}

/**
 * Freezes parsed JSON deeply, and scans it for values that typing would lose: nesting too deep for other parsers, and
 * numbers outside the range of a double, which parse as infinity and would be written as null. One walk without
 * allocations, because it runs on every event that is read: freezing costs it 0.3 µs per event.
 */
export function freezeAndScan(value: object): LossScan {
  const scan: LossScan = { protoKeys: 0 };
  scanContainer(value, 0, scan);
  return scan;
}

function scanContainer(value: object, depth: number, scan: LossScan): void {
  if (depth >= maxDepth) {
    scan.problem ??= `is nested deeper than ${maxDepth} levels`;
  } else if (Array.isArray(value)) {
    for (const item of value) scanValue(item, depth, scan);
  } else {
    // Parsed objects have only own properties, and `for in` is several times faster than Object.values.
    for (const key in value) {
      if (key === '__proto__') scan.protoKeys++;
      scanValue((value as Readonly<Record<string, unknown>>)[key], depth, scan);
    }
  }
  Object.freeze(value);
}

function scanValue(value: unknown, depth: number, scan: LossScan): void {
  if (typeof value === 'object') {
    if (value !== null) scanContainer(value, depth + 1, scan);
  } else if (typeof value === 'number' && !Number.isFinite(value)) scan.problem ??= `holds the number ${value}`;
}
