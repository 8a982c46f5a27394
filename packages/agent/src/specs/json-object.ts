import type { Json } from '@varve/events';

/** JSON object whose fields are not known. */
export type JsonObject = Readonly<Record<string, Json>>;

/** Returns a value that is an object, else undefined. */
export function objectOf(value: Json | undefined): JsonObject | undefined {
  const isObject = typeof value === 'object' && value !== null && !Array.isArray(value);
  return isObject ? (value as JsonObject) : undefined;
}

/** Returns whether a field means the same as if it were absent. */
export function isUnset(value: Json | undefined): boolean {
  if (value === undefined || value === null || value === '') return true;
  return typeof value === 'object' && Object.keys(value).length === 0;
}
