type Schema = Readonly<Record<string, unknown>>;

/** Keywords whose value is a schema or a list of schemas. */
const schemaKeywords = new Set(['items', 'prefixItems', 'additionalProperties', 'allOf', 'anyOf', 'oneOf']);
/** Keywords whose value has a schema under each name. */
const namedSchemaKeywords = new Set(['properties', 'patternProperties', '$defs', 'definitions']);

/**
 * Returns the JSON Schema with a description added for every required field that has none, because zod checks only
 * described fields. The added field accepts whatever `additionalProperties` allows. Parts without a type stay
 * unchanged.
 */
export function withRequiredFields(schema: Schema): Schema {
  const walked = Object.fromEntries(
    Object.entries(schema).map(([key, value]) => [
      key,
      schemaKeywords.has(key) ? walk(value) : namedSchemaKeywords.has(key) && isSchema(value) ? walkEach(value) : value,
    ]),
  );
  const required = schema['required'];
  if (schema['type'] !== 'object' || !Array.isArray(required)) return walked;
  const properties = isSchema(walked['properties']) ? walked['properties'] : {};
  const { additionalProperties: others = {}, patternProperties } = walked;
  // A pattern may describe the field; then `additionalProperties` does not apply.
  const field = patternProperties !== undefined || others === true ? {} : others === false ? { not: {} } : others;
  const missing = required.filter(
    (name): name is string => typeof name === 'string' && !Object.hasOwn(properties, name),
  );
  return { ...walked, properties: { ...properties, ...Object.fromEntries(missing.map((name) => [name, field])) } };
}

function walk(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(walk);
  return isSchema(value) ? withRequiredFields(value) : value;
}

function walkEach(schemas: Schema): Schema {
  return Object.fromEntries(Object.entries(schemas).map(([name, schema]) => [name, walk(schema)]));
}

function isSchema(value: unknown): value is Schema {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
