type Schema = Readonly<Record<string, unknown>>;

/** Keywords whose value is data, and those whose value has a schema under each name. */
const dataKeywords = new Set(['const', 'default', 'enum', 'examples']);
const namedSchemaKeywords = new Set(['properties', '$defs', 'definitions', 'dependentSchemas']);

/**
 * Returns a JSON Schema without its regular expressions, and open for the fields that they describe. Those of a server
 * can take exponential time, during which nothing else runs; the server checks its arguments by itself.
 */
export function withoutPatterns(schema: Schema): Schema {
  const { pattern: _, patternProperties, ...rest } = schema;
  const walked = Object.entries(rest).map(([key, value]) => [
    key,
    dataKeywords.has(key) ? value : namedSchemaKeywords.has(key) && isSchema(value) ? walkEach(value) : walk(value),
  ]);
  return { ...Object.fromEntries(walked), ...(patternProperties !== undefined && { additionalProperties: true }) };
}

function walk(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(walk);
  return isSchema(value) ? withoutPatterns(value) : value;
}

function walkEach(schemas: Schema): Schema {
  return Object.fromEntries(Object.entries(schemas).map(([name, schema]) => [name, walk(schema)]));
}

function isSchema(value: unknown): value is Schema {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
