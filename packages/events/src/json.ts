/** A value that survives `JSON.parse(JSON.stringify(value))`. */
export type Json = null | boolean | number | string | readonly Json[] | { readonly [key: string]: Json | undefined };

/** Deep enough for any real record, and shallow enough for the stack of `JSON.stringify` and of other readers. */
export const maxDepth = 200;

/**
 * Why a value would not come back the same from `JSON.parse(JSON.stringify(value))`, as half a sentence; undefined when it
 * would. Cycles count as nesting without end. Properties that are undefined count as absent.
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

/** What {@link scanForLoss} found in a value. */
export interface LossScan {
  /** Why it cannot be typed without loss, as half a sentence. */
  problem?: string;
  /** How many properties are named `__proto__`: schemas leave these out without a word. */
  protoKeys: number;
}

/**
 * Looks through a value that `JSON.parse` gave for what typing would lose: nesting too deep for other readers, and numbers
 * that no double can hold, which parse as infinity and would be written as null. One walk that allocates nothing, because
 * every event that is read goes through it.
 */
export function scanForLoss(value: object): LossScan {
  const found: LossScan = { protoKeys: 0 };
  scanContainer(value, 0, found);
  return found;
}

function scanContainer(value: object, depth: number, found: LossScan): void {
  if (depth >= maxDepth) {
    found.problem ??= `is nested deeper than ${maxDepth} levels`;
  } else if (Array.isArray(value)) {
    for (const item of value) scanValue(item, depth, found);
  } else {
    // Parsed objects have no properties but their own, and `for in` over them is several times faster than Object.values.
    for (const key in value) {
      if (key === '__proto__') found.protoKeys++;
      scanValue((value as Readonly<Record<string, unknown>>)[key], depth, found);
    }
  }
}

function scanValue(value: unknown, depth: number, found: LossScan): void {
  if (typeof value === 'object') {
    if (value !== null) scanContainer(value, depth + 1, found);
  } else if (typeof value === 'number' && !Number.isFinite(value)) found.problem ??= `holds the number ${value}`;
}
