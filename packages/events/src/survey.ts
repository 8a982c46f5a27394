import { maxDepth } from './json-problem.ts';

/** What {@link survey} found in a value. */
export interface Survey {
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
export function survey(value: object): Survey {
  const found: Survey = { protoKeys: 0 };
  look(value, 0, found);
  return found;
}

function look(value: object, depth: number, found: Survey): void {
  if (depth >= maxDepth) {
    found.problem ??= `is nested deeper than ${maxDepth} levels`;
  } else if (Array.isArray(value)) {
    for (const item of value) lookAt(item, depth, found);
  } else {
    // Parsed objects have no properties but their own, and `for in` over them is several times faster than Object.values.
    for (const key in value) {
      if (key === '__proto__') found.protoKeys++;
      lookAt((value as Readonly<Record<string, unknown>>)[key], depth, found);
    }
  }
}

function lookAt(value: unknown, depth: number, found: Survey): void {
  if (typeof value === 'object') {
    if (value !== null) look(value, depth + 1, found);
  } else if (typeof value === 'number' && !Number.isFinite(value)) found.problem ??= `holds the number ${value}`;
}
