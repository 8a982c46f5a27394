import { exceededJsonLimit, type JsonLimits } from './exceeded-json-limit.ts';
import { literalReader, type LiteralReader } from './literals.ts';
import { modelJsonLimits, parseJson } from './parse-json.ts';

/** Value of a JSON text, or the reason and the place where it has none or more than one. */
export type ModelJson = { readonly value: unknown } | { readonly problem: string };

/** Numbers of which JSON.parse may make others. */
const longNumber = /\d{16}|[eE]\+?\d{3}/;

/**
 * Reads JSON as models write it. Text that is not JSON must be one closed object or list, alone or in a code fence, and
 * these are its repairs: raw control characters; a backslash that JSON does not have, which is kept; single quotes;
 * names without quotes; True, False and None; a comma too many, or one that is missing before a name in quotes; closing
 * brackets too many. Anything with a second meaning is a problem. Takes time linear in the length of the text.
 */
export function readModelJson(text: string, limits: JsonLimits = modelJsonLimits): ModelJson {
  const exceeded = exceededJsonLimit(text, limits);
  if (exceeded) return { problem: `there are more than ${limits[exceeded]} ${exceeded}` };
  const value = parseExactJson(text, limits);
  if (value !== undefined) return { value };
  const [opening = ''] = /^\s*(?:```\w*\s*)?/.exec(text) ?? [];
  const start = opening.length;
  if (!/[{[]/.test(text.charAt(start))) return { problem: 'there is no object' };
  const reader = modelReader(text, limits);
  const read = reader.value(start);
  if (!read) return { problem: reader.problem() ?? 'there is no value' };
  // Surplus closing brackets are a mistake; a second object is another call.
  const rest = /[^\s`}\]);,]/.exec(text.slice(read.end));
  return rest ? { problem: `there is more text at character ${read.end + rest.index + 1}` } : { value: read.value };
}

/** Parses JSON; undefined for other text, and where a number would become another one. */
export function parseExactJson(text: string, limits: JsonLimits = modelJsonLimits): unknown {
  const value = parseJson(text, limits);
  if (value === undefined || !longNumber.test(text)) return value;
  return modelReader(text, limits).value(text.length - text.trimStart().length) && value;
}

function modelReader(text: string, limits: JsonLimits): LiteralReader {
  return literalReader(text, {
    quotes: [
      { open: '"', close: '"', escapes: 'json' },
      { open: "'", close: "'", escapes: 'single-quotes' },
    ],
    keySign: ':',
    words: { true: true, false: false, null: null, True: true, False: false, None: null },
    mayOmitCommas: true,
    limits,
  });
}
