import { parseJson } from '@varve/text';

/** A JSON object. */
export type JsonRecord = Readonly<Record<string, unknown>>;

/** Returns the value if it is an object and not an array. */
export function asRecord(value: unknown): JsonRecord | undefined {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as JsonRecord) : undefined;
}

/** Parses a JSON object; returns `undefined` for any other text. */
export function parseRecord(text: string | Buffer | undefined): JsonRecord | undefined {
  return text === undefined ? undefined : asRecord(parseJson(text.toString()));
}
