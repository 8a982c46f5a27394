import { z } from '@hono/zod-openapi';
import { lazy, type Json } from '@varve/events';

/** A JSON object. */
export type JsonObject = Readonly<Record<string, Json>>;

/** Tests whether a value is a JSON object. */
export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Schema of a JSON object with any fields. A recursive schema of JSON has no form in the document. */
export const jsonObject = lazy(() =>
  z.custom<JsonObject>(isObject).openapi({ type: 'object', additionalProperties: true }),
);

/** Applies a merge patch: null removes, objects are merged, anything else replaces. @see RFC 7386 */
export function mergePatch(target: Json | undefined, patch: Json): Json {
  if (!isObject(patch)) return patch;
  const merged = new Map<string, Json>(isObject(target) ? Object.entries(target) : []);
  for (const [name, value] of Object.entries(patch)) {
    if (value === null) merged.delete(name);
    else merged.set(name, mergePatch(merged.get(name), value));
  }
  return Object.fromEntries(merged);
}
