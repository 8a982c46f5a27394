import { z } from 'zod';

const kept = new Set([
  'type',
  'description',
  'properties',
  'required',
  'items',
  'enum',
  'anyOf',
  'additionalProperties',
]);

/**
 * Returns the JSON Schema of a tool's input for models: inlined, with only the keywords that every provider understands.
 * Defaults are omitted, because a field with a default is optional for the model.
 */
export function modelSchema(input: z.ZodObject): Readonly<Record<string, unknown>> {
  const schema = z.toJSONSchema(input, { io: 'input', reused: 'inline', unrepresentable: 'any' });
  const { additionalProperties: _open, ...rest } = pruneKeywords(schema) as Record<string, unknown>;
  return rest;
}

function pruneKeywords(schema: unknown): unknown {
  if (typeof schema !== 'object' || schema === null) return schema;
  if (Array.isArray(schema)) return schema.map(pruneKeywords);
  return Object.fromEntries(
    Object.entries(schema)
      .map(portableKeyword)
      .filter(([key]) => kept.has(key))
      .map(([key, value]) => [key, key === 'properties' ? mapValues(value, pruneKeywords) : pruneKeywords(value)]),
  );
}

/** Replaces a keyword by an equivalent that every provider understands. */
function portableKeyword([key, value]: [string, unknown]): [string, unknown] {
  if (key === 'const') return ['enum', [value]];
  return key === 'oneOf' ? ['anyOf', value] : [key, value];
}

function mapValues(record: unknown, change: (value: unknown) => unknown): unknown {
  return Object.fromEntries(Object.entries(record as object).map(([key, value]) => [key, change(value)]));
}
