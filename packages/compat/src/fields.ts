import { parseJson } from '@varve/text';

/** Object of a foreign file. */
export type Fields = Readonly<Record<string, unknown>>;

/** Returns a JSON object, or undefined for any other value. */
export function fieldsOf(value: unknown): Fields | undefined {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Fields) : undefined;
}

/** Returns the object in a JSON text, or undefined for any other text. */
export function parseFields(text: string): Fields | undefined {
  return fieldsOf(parseJson(text));
}

/** Returns a string, or undefined for any other value. */
export function stringOf(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined;
}

/** Returns a whole number, or undefined for any other value. */
export function integerOf(value: unknown): number | undefined {
  return typeof value === 'number' && Number.isSafeInteger(value) ? value : undefined;
}
