import { exceededJsonLimit, type JsonLimits } from './exceeded-json-limit.ts';

/**
 * Limits of JSON that a model wrote: deeper lists and objects can neither be logged nor written again, and many values
 * need far more memory than text.
 */
export const modelJsonLimits: JsonLimits = { depth: 500, values: 100_000 };

/** Parses JSON; returns undefined for other text, and for text that exceeds the limits. */
export function parseJson(text: string | undefined, limits?: JsonLimits): unknown {
  if (text === undefined || (limits && exceededJsonLimit(text, limits))) return undefined;
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
