import { resolveSchema, type JsonSchema } from '@varve/text';
import { withoutPatterns } from './without-patterns.ts';

/** Schema with which arguments can be checked, and the number of schemas in it, references followed. */
export interface CheckableSchema {
  readonly schema: JsonSchema;
  readonly size: number;
}

/** Most lists and objects of a schema, references followed, and most of them inside of each other. */
const maxSize = 3000;
const maxDepth = 60;

/**
 * Returns a schema of a server in the form in which arguments may be checked with it: without patterns, of which some
 * take longer than the process lives. Undefined for one that is recursive or too large, of which some need time or
 * memory without a limit. The server checks its arguments itself.
 */
export function checkableSchema(schema: JsonSchema): CheckableSchema | undefined {
  const { $defs: _defs, definitions: _definitions, ...used } = schema;
  const size = sizeOf(used, { root: schema, open: [] });
  return size > maxSize ? undefined : { schema: withoutPatterns(schema), size };
}

interface Place {
  readonly root: JsonSchema;
  /** References that lead to this place. */
  readonly open: readonly string[];
  readonly depth?: number;
}

/** Counts the lists and objects in a value up to just above the limit. Infinite for a recursive schema. */
function sizeOf(value: unknown, { root, open, depth = 0 }: Place): number {
  if (typeof value !== 'object' || value === null) return 0;
  if (depth > maxDepth) return Infinity;
  let size = 1;
  const inner = { root, open, depth: depth + 1 };
  for (const [key, child] of Object.entries(value)) {
    if (key === '$ref' && typeof child === 'string') {
      const target = resolveSchema({ $ref: child }, root);
      // Also a reference that leads to itself, or nowhere.
      if (open.includes(child) || Object.keys(target).length === 0) return Infinity;
      size += sizeOf(target, { ...inner, open: [...open, child] });
    } else size += sizeOf(child, inner);
    if (size > maxSize) return Infinity;
  }
  return size;
}
