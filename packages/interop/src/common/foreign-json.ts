import { exceededJsonLimit, isJsonObject, parseJson } from '@varve/text';
import { InteropError } from '../error.ts';

/** Limits of one foreign JSON text: more than any real log, and little enough to parse. */
const limits = { depth: 180, values: 5_000_000 };

/** A JSON object of another system: every field is unchecked. */
export type Fields = Readonly<Record<string, unknown>>;

/**
 * Parses foreign JSON of limited depth and size.
 *
 * @param place Name of the text in messages.
 * @throws {InteropError} `invalid`.
 */
export function parseForeignJson(text: string, place: string): unknown {
  const exceeded = exceededJsonLimit(text, limits);
  if (exceeded) {
    const limit =
      exceeded === 'depth' ? `nested deeper than ${limits.depth} levels` : `of over ${limits.values} values`;
    throw new InteropError('invalid', `${place} is ${limit}.`);
  }
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw new InteropError('invalid', `${place} is not JSON.`, { cause });
  }
}

/** Returns the value of foreign JSON; undefined for text that {@link parseForeignJson} refuses. */
export function foreignJson(text: string): unknown {
  return parseJson(text, limits);
}

/** Returns a JSON object, or undefined for any other value. */
export function fieldsOf(value: unknown): Fields | undefined {
  return isJsonObject(value) ? value : undefined;
}

/** Returns a string, or undefined for any other value. */
export function stringOf(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined;
}

/** Returns a string as it is, and any other JSON value as JSON. */
export function textOfJson(value: unknown): string {
  return typeof value === 'string' ? value : (JSON.stringify(value) ?? '');
}

/** Returns the items of a list; empty for any other value. */
export function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

/** Returns the blocks of a message: the objects of a list, or one block for a text. */
export function blocksOf(content: unknown): readonly Fields[] {
  if (typeof content === 'string') return [{ type: 'text', text: content }];
  return listOf(content).flatMap((block): Fields | readonly Fields[] => fieldsOf(block) ?? []);
}

/** Returns the strings of a list; empty for any other value. */
export function stringsOf(value: unknown): readonly string[] {
  return listOf(value).filter((item) => typeof item === 'string');
}

/** Returns a whole number, or undefined for any other value. */
export function integerOf(value: unknown): number | undefined {
  return typeof value === 'number' && Number.isSafeInteger(value) ? value : undefined;
}

/** Returns the milliseconds of a time in a text; empty for any other value. */
export function instantOf(timestamp: unknown): number | '' {
  const instant = Date.parse(stringOf(timestamp) ?? '');
  return Number.isNaN(instant) ? '' : instant;
}

/**
 * Returns the names of the fields of the first object in the start of a JSON text: the object itself, the first of a
 * list, or the first line. The start may end anywhere; the fields up to there are returned.
 */
export function firstKeys(start: string): ReadonlySet<string> {
  const keys = new Set<string>();
  let at = /^\uFEFF?\s{0,1000}(?:\[\s{0,1000})?\{/.exec(start)?.[0].length ?? start.length;
  const token = /"(?:[^"\\]|\\.)*"(\s{0,100}:)?|[{}[\]]/g;
  for (let depth = 0; at < start.length && depth >= 0;) {
    token.lastIndex = at;
    const match = token.exec(start);
    if (!match) break;
    const [sign, colon] = match;
    if (depth === 0 && colon !== undefined) keys.add(sign.slice(1, sign.indexOf('"', 1)));
    if (sign === '{' || sign === '[') depth += 1;
    if (sign === '}' || sign === ']') depth -= 1;
    at = token.lastIndex;
  }
  return keys;
}
