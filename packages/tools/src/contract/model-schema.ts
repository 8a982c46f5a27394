import { commonKeywords, narrowSchema, type JsonSchema } from '@varve/text';
import * as z from 'zod';

const keywords = new Set([...commonKeywords, 'anyOf', 'additionalProperties']);

/**
 * Returns the JSON Schema of a tool's input for models: inlined, with only the keywords that every provider
 * understands. Defaults are omitted, because a field with a default is optional for the model.
 */
export function modelSchema(input: z.ZodObject): JsonSchema {
  return portableSchema(z.toJSONSchema(input, { io: 'input', reused: 'inline', unrepresentable: 'any' }));
}

/** Returns a JSON Schema with only the keywords that every provider understands. */
export function portableSchema(schema: JsonSchema): JsonSchema {
  const { additionalProperties: _open, ...rest } = narrowSchema(schema, keywords, withPortableKeywords);
  return rest;
}

/** Replaces keywords by equivalents that every provider understands. */
function withPortableKeywords(schema: JsonSchema): JsonSchema {
  const entries = Object.entries(schema).map(([keyword, value]): [string, unknown] => {
    if (keyword === 'const') return ['enum', [value]];
    return keyword === 'oneOf' ? ['anyOf', value] : [keyword, value];
  });
  return Object.fromEntries(entries);
}
