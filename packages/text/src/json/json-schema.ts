/** A JSON Schema. */
export type JsonSchema = Readonly<Record<string, unknown>>;

/** Keywords that every provider accepts in the parameters of a tool. */
export const commonKeywords: readonly string[] = ['type', 'description', 'properties', 'required', 'items', 'enum'];

/** Longest chain of references. */
const maxDepth = 20;

/** Returns the schema that references lead to within `root`; an unknown or endless reference allows any value. */
export function resolveSchema(schema: unknown, root: JsonSchema): JsonSchema {
  let current = schema;
  for (let depth = 0; depth < maxDepth; depth += 1) {
    if (!isSchema(current)) return {};
    const target = current['$ref'];
    if (typeof target !== 'string') return current;
    current = target.startsWith('#/') ? found(root, target.slice(2).split('/')) : undefined;
  }
  return {};
}

/**
 * Returns the schemas of which a value must fit one: those of `anyOf` or `oneOf`, or one per type of a list of types.
 */
export function alternativesOf(schema: unknown, root: JsonSchema): readonly JsonSchema[] {
  const known = resolveSchema(schema, root);
  const choices = [known['anyOf'], known['oneOf']].find((list) => Array.isArray(list)) as
    | readonly unknown[]
    | undefined;
  if (choices) return choices.map((choice) => resolveSchema(choice, root));
  const types: unknown = known['type'];
  return Array.isArray(types) ? types.map((type: unknown) => ({ ...known, type })) : [known];
}

/** Returns the types that a value may have, those of variants included; empty if the schema names none. */
export function typesOf(schema: unknown, root: JsonSchema): readonly string[] {
  return typesWithin(schema, root, new Set());
}

/** A schema that is a variant of itself adds nothing. */
function typesWithin(schema: unknown, root: JsonSchema, seen: Set<JsonSchema>): readonly string[] {
  const known = resolveSchema(schema, root);
  if (seen.has(known)) return [];
  seen.add(known);
  const alternatives = alternativesOf(known, root);
  if (alternatives.length !== 1 || alternatives[0] !== known) {
    return alternatives.flatMap((one) => typesWithin(one, root, seen));
  }
  return typeof known['type'] === 'string' ? [known['type']] : [];
}

/** Returns the schemas of the properties that an object schema names, in its order. */
export function propertiesOf(root: JsonSchema): Readonly<Record<string, unknown>> {
  const properties = resolveSchema(root, root)['properties'];
  return isSchema(properties) ? properties : {};
}

/** Keywords whose values are maps from names to schemas: a property may be called `$schema` or `pattern`. */
const maps = new Set(['properties', 'patternProperties']);
/** Keywords whose values are data. */
const literals = new Set(['enum', 'const', 'default', 'examples', 'required']);

/** Applies `change` to each schema directly inside of a schema. */
export function mapSubschemas(schema: JsonSchema, change: (schema: JsonSchema) => JsonSchema): JsonSchema {
  const changed = (value: unknown): unknown => (isSchema(value) ? change(value) : value);
  return mapValues(schema, (value, keyword) => {
    if (literals.has(keyword)) return value;
    if (maps.has(keyword) && isSchema(value)) return mapValues(value, changed);
    return Array.isArray(value) ? value.map(changed) : changed(value);
  });
}

/** Applies `change` to a schema and then to each schema inside of the result, and keeps only the `keywords` of each. */
export function narrowSchema(
  schema: JsonSchema,
  keywords: ReadonlySet<string>,
  change: (schema: JsonSchema) => JsonSchema,
): JsonSchema {
  const kept = Object.entries(change(schema)).filter(([keyword]) => keywords.has(keyword));
  return mapSubschemas(Object.fromEntries(kept), (inner) => narrowSchema(inner, keywords, change));
}

/** Tests whether a value can be an object schema. */
export function isSchema(value: unknown): value is JsonSchema {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function mapValues(schema: JsonSchema, change: (value: unknown, name: string) => unknown): JsonSchema {
  return Object.fromEntries(Object.entries(schema).map(([name, value]) => [name, change(value, name)]));
}

function found(root: JsonSchema, path: readonly string[]): unknown {
  return path.reduce<unknown>((at, key) => {
    const name = key.replaceAll('~1', '/').replaceAll('~0', '~');
    return isSchema(at) && Object.hasOwn(at, name) ? at[name] : undefined;
  }, root);
}
