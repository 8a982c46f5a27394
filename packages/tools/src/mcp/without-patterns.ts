import { mapSubschemas, type JsonSchema } from '@varve/text';

/**
 * Returns a JSON Schema without its regular expressions, which is open for the fields that they describe, and accepts
 * whatever it accepted with them. Those of a server can take exponential time, during which nothing else runs; the
 * server checks its arguments by itself.
 */
export function withoutPatterns(schema: JsonSchema): JsonSchema {
  return /"pattern(?:Properties)?":/.test(JSON.stringify(schema)) ? relaxed(schema) : schema;
}

function relaxed(schema: JsonSchema): JsonSchema {
  const { pattern: _, patternProperties, unevaluatedItems: _items, unevaluatedProperties: _fields, ...rest } = schema;
  const walked = mapSubschemas(rest, relaxed);
  // A part with fewer conditions matches more: what must not match it, or only one of several, may match now.
  const mayMatch = (keyword: string): boolean => {
    const text = JSON.stringify(walked[keyword]);
    return text !== JSON.stringify(rest[keyword]) || text?.includes('"$ref":');
  };
  const dropped = new Set([
    ...(mayMatch('not') ? ['not'] : []),
    ...(mayMatch('if') ? ['if', 'then', 'else'] : []),
    ...(mayMatch('contains') ? ['maxContains'] : []),
    ...(mayMatch('oneOf') ? ['oneOf'] : []),
  ]);
  const { allOf, oneOf } = walked;
  return {
    ...Object.fromEntries(Object.entries(walked).filter(([keyword]) => !dropped.has(keyword))),
    ...(dropped.has('oneOf') && { allOf: [...(Array.isArray(allOf) ? allOf : []), { anyOf: oneOf }] }),
    ...(patternProperties !== undefined && { additionalProperties: true }),
  };
}
