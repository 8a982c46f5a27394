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
