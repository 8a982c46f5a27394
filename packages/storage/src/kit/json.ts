import type { Json } from '@varve/events';
import { parseJson } from '@varve/text';
import { StorageError } from '../contract/error.ts';

/** Returns the JSON of a value. @throws {StorageError} `invalid` if it has none, naming `what`. */
export function jsonText(what: string, value: Json): string {
  let text: string | undefined;
  try {
    text = JSON.stringify(value);
  } catch (cause) {
    throw new StorageError('invalid', `The ${what} is not JSON.`, { cause });
  }
  if (text === undefined) throw new StorageError('invalid', `The ${what} is not JSON.`);
  return text;
}

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
