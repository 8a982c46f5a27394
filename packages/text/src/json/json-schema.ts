/** A JSON Schema. */
export type JsonSchema = Readonly<Record<string, unknown>>;

/** Keywords that every provider accepts in the parameters of a tool. */
export const commonKeywords: readonly string[] = ['type', 'description', 'properties', 'required', 'items', 'enum'];

/** Longest chain of references. */
const maxDepth = 20;

/**
 * Returns what a reference leads to within `root`: the root, a place in it, a schema with that anchor, or one with that
 * id; undefined for any other reference.
 */
export function schemaAt(reference: string, root: JsonSchema): unknown {
  if (reference === '#') return root;
  const pointer = reference.startsWith('#/') ? valueAt(root, pointerKeys(reference.slice(2))) : undefined;
  return pointer ?? schemaNamed(reference, root);
}

function schemaNamed(reference: string, schema: JsonSchema): JsonSchema | undefined {
  const anchor = reference.startsWith('#') ? reference.slice(1) : undefined;
  const isNamed = ['$anchor', '$dynamicAnchor'].some((keyword) => anchor !== undefined && schema[keyword] === anchor);
  if (isNamed || schema['$id'] === reference) return schema;
  let found: JsonSchema | undefined;
  mapSubschemas(schema, (inner) => {
    found ??= schemaNamed(reference, inner);
    return inner;
  });
  return found;
}

/** Returns the keys of a JSON pointer in a reference, without the `#/` at its start. @see RFC 6901, section 6 */
export function pointerKeys(pointer: string): readonly string[] {
  const decoded = decodeURIComponent(pointer.replaceAll(/%(?![\da-f]{2})/gi, '%25'));
  return decoded.split('/').map((key) => key.replaceAll('~1', '/').replaceAll('~0', '~'));
}

/** Returns the schema that references lead to within `root`; an unknown or endless reference allows any value. */
export function resolveSchema(schema: unknown, root: JsonSchema): JsonSchema {
  let current = schema;
  for (let depth = 0; depth < maxDepth; depth += 1) {
    if (!isJsonObject(current)) return {};
    const target = current['$ref'];
    if (typeof target !== 'string') return current;
    current = schemaAt(target, root);
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
    return alternatives.flatMap((alternative) => typesWithin(alternative, root, seen));
  }
  return typeof known['type'] === 'string' ? [known['type']] : [];
}

/**
 * Returns the schemas of the properties that an object schema names, in its order, then those that only its variants
 * name. A property that several variants name fits any of their schemas.
 */
export function propertiesOf(root: JsonSchema): Readonly<Record<string, unknown>> {
  return propertiesWithin(root, root, new Set());
}

function propertiesWithin(schema: unknown, root: JsonSchema, seen: Set<JsonSchema>): Readonly<Record<string, unknown>> {
  const known = resolveSchema(schema, root);
  if (seen.has(known)) return {};
  seen.add(known);
  const properties = known['properties'];
  const variants = variantKeywords
    .flatMap((keyword) => (Array.isArray(known[keyword]) ? (known[keyword] as readonly unknown[]) : []))
    .flatMap((variant) => Object.entries(propertiesWithin(variant, root, seen)));
  const named = isJsonObject(properties) ? properties : {};
  if (variants.length === 0) return named;
  const added = Map.groupBy(
    variants.filter(([name]) => !Object.hasOwn(named, name)),
    ([name]) => name,
  );
  const merged = [...added].map(([name, choices]): [string, unknown] => [name, anyOf(choices.map(([, each]) => each))]);
  return { ...named, ...Object.fromEntries(merged) };
}

const variantKeywords = ['allOf', 'anyOf', 'oneOf'] as const;

function anyOf(schemas: readonly unknown[]): unknown {
  return schemas.length === 1 ? schemas[0] : { anyOf: schemas };
}

/**
 * Returns the schema of properties that an object schema does not name; undefined if there may be none. A schema that
 * restricts no property allows any, others only where they mention additional ones.
 */
export function additionalProperties(root: JsonSchema): unknown {
  const known = resolveSchema(root, root);
  const { additionalProperties: additional, patternProperties: patterns } = known;
  if (additional === false) return isJsonObject(patterns) ? anyOf(Object.values(patterns)) : undefined;
  if (isJsonObject(additional)) return additional;
  const isOpen =
    additional === true || isJsonObject(patterns) || !restrictions.some((keyword) => Object.hasOwn(known, keyword));
  return isOpen ? {} : undefined;
}

const restrictions = ['properties', 'required', ...variantKeywords] as const;

/** Returns whether null fits a schema. A schema that restricts neither types nor values allows it. */
export function allowsNull(schema: unknown, root: JsonSchema): boolean {
  return allowsNullWithin(schema, root, new Set());
}

function allowsNullWithin(schema: unknown, root: JsonSchema, seen: Set<JsonSchema>): boolean {
  const known = resolveSchema(schema, root);
  if (seen.has(known)) return false;
  seen.add(known);
  const { type, enum: values, nullable, anyOf: any, oneOf, allOf } = known;
  if (nullable === true) return true;
  if ('const' in known) return known['const'] === null;
  if (Array.isArray(values)) return values.includes(null);
  if (type !== undefined) return type === 'null' || (Array.isArray(type) && type.includes('null'));
  const fits = (each: unknown): boolean => allowsNullWithin(each, root, seen);
  const choices = [any, oneOf].find((list) => Array.isArray(list)) as readonly unknown[] | undefined;
  if (choices) return choices.some(fits);
  return !Array.isArray(allOf) || allOf.every(fits);
}

/** Keywords whose values are maps from names to schemas: a property may be called `$schema` or `pattern`. */
const maps = new Set(['properties', 'patternProperties', '$defs', 'definitions', 'dependentSchemas']);
/** Keywords whose values are data. */
const literals = new Set(['enum', 'const', 'default', 'examples', 'required']);

/** Applies `change` to each schema directly inside of a schema. */
export function mapSubschemas(schema: JsonSchema, change: (schema: JsonSchema) => JsonSchema): JsonSchema {
  const changed = (value: unknown): unknown => (isJsonObject(value) ? change(value) : value);
  return mapValues(schema, (value, keyword) => {
    if (literals.has(keyword)) return value;
    if (maps.has(keyword) && isJsonObject(value)) return mapValues(value, changed);
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

/** Returns true for a JSON object, which may be an object schema. */
export function isJsonObject(value: unknown): value is JsonSchema {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function mapValues(schema: JsonSchema, change: (value: unknown, name: string) => unknown): JsonSchema {
  return Object.fromEntries(Object.entries(schema).map(([name, value]) => [name, change(value, name)]));
}

function valueAt(root: JsonSchema, path: readonly string[]): unknown {
  return path.reduce<unknown>(
    (at, key) => (typeof at === 'object' && at !== null && Object.hasOwn(at, key) ? Reflect.get(at, key) : undefined),
    root,
  );
}
