import { commonKeywords, isJsonObject, mapSubschemas, narrowSchema, schemaAt, type JsonSchema } from '@varve/text';
import type { Dialect } from './dialect.ts';

/**
 * Returns tool parameters in the subset of JSON Schema that a server accepts. `full` is the schema itself; `plain` has
 * its local references resolved, one schema for all items of a list, no `$schema`, and no limits that mean "any
 * integer"; `google` also has only the keywords of Gemini's endpoint; `flat` keeps types, names, descriptions and
 * choices; in `texts`, lists, objects and values of any type are JSON in a text, so that no server has a reason to
 * refuse it. The root is always an object with properties.
 */
export function toolSchema(schema: JsonSchema, level: Dialect['schema']): JsonSchema {
  if (level === 'full') return schema;
  const plain = toPlain(schema, { root: schema, open: [], budget: { left: maxResolved } });
  if (level === 'plain') return asObject(plain);
  if (level !== 'texts') return asObject(narrowSchema(plain, keywords[level], (inner) => simplify(inner, level)));
  const { properties, required } = asObject(narrowSchema(plain, keywords.flat, (inner) => simplify(inner, 'flat')));
  return {
    type: 'object',
    properties: Object.fromEntries(Object.entries(isJsonObject(properties) ? properties : {}).map(asText)),
    ...(Array.isArray(required) && { required }),
  };
}

function asObject(schema: JsonSchema): JsonSchema {
  return { ...schema, type: 'object', properties: schema['properties'] ?? {} };
}

const scalars = new Set<unknown>(['string', 'integer', 'number', 'boolean']);

/** Agents read JSON in a text as the value that the tool requires. */
function asText([name, schema]: [string, unknown]): [string, unknown] {
  if (!isJsonObject(schema)) return [name, { type: 'string' }];
  const { type, description } = schema;
  if (scalars.has(type)) return [name, schema];
  const { description: _description, ...rest } = schema;
  const note = `JSON of ${JSON.stringify(rest).slice(0, 1000)}.`;
  return [name, withNote({ type: 'string', ...(typeof description === 'string' && { description }) }, note)];
}

/** Limit for definitions that refer to each other, which would make the request too long. */
const maxResolved = 200;

interface Within {
  readonly root: JsonSchema;
  /** References that are being resolved: one that occurs again is recursive and stays unresolved. */
  readonly open: readonly string[];
  /** Number of references that may still be resolved; the others keep only their type. */
  readonly budget: { left: number };
}

const droppedKeywords = new Set(['$schema', '$id', '$defs', 'definitions', '$comment', 'propertyNames']);

function toPlain(schema: JsonSchema, within: Within): JsonSchema {
  const { $ref: reference, ...rest } = schema;
  if (typeof reference === 'string') return resolveReference(reference, rest, within);
  const kept = Object.entries(rest).filter(([key, value]) => !droppedKeywords.has(key) && !isAnyInteger(key, value));
  return withItems(mapSubschemas(Object.fromEntries(kept), (inner) => toPlain(inner, within)));
}

/** Servers require one schema for the items of a list. That of a tuple, or of anything, is a schema of any value. */
function withItems(schema: JsonSchema): JsonSchema {
  const { type, items, prefixItems, additionalItems: _more, ...rest } = schema;
  const isList = type === 'array' || (Array.isArray(type) && type.includes('array'));
  const tuple = [items, prefixItems].find((each) => Array.isArray(each)) as readonly unknown[] | undefined;
  if (!isList || (isJsonObject(items) && !tuple)) return schema;
  const list = { type, ...rest, items: tuple ? commonType(tuple) : {} };
  return tuple ? withNote(list, `Items in this order: ${JSON.stringify(tuple).slice(0, 500)}.`) : list;
}

function commonType(schemas: readonly unknown[]): JsonSchema {
  const types = new Set(schemas.map((each) => (isJsonObject(each) ? each['type'] : undefined)));
  const [type] = types;
  return types.size === 1 && typeof type === 'string' && type !== 'array' ? { type } : {};
}

function resolveReference(reference: string, siblings: JsonSchema, { root, open, budget }: Within): JsonSchema {
  const target = schemaAt(reference, root);
  const within = { root, open: [...open, reference], budget };
  if (target === false) return toPlain({ ...siblings, not: {} }, within);
  if (!isJsonObject(target)) return toPlain(siblings, within);
  if (open.includes(reference) || budget.left === 0) return toPlain({ ...typeOf(target), ...siblings }, within);
  budget.left -= 1;
  return toPlain(withTarget(target, siblings), within);
}

function typeOf({ type, properties }: JsonSchema): JsonSchema {
  if (type === undefined) return properties === undefined ? {} : { type: 'object' };
  return { type };
}

/** Keywords that describe a schema: those next to a reference replace those of its target. */
const annotations = new Set(['title', 'description', 'default', 'examples', 'deprecated', 'readOnly', 'writeOnly']);

/** Returns the schema of both: a condition that both have stays in two schemas. */
function withTarget(target: JsonSchema, siblings: JsonSchema): JsonSchema {
  const isBoth = Object.keys(siblings).some((keyword) => !annotations.has(keyword) && Object.hasOwn(target, keyword));
  if (!isBoth) return { ...target, ...siblings };
  const { allOf } = siblings;
  return { ...siblings, allOf: [target, ...(Array.isArray(allOf) ? allOf : [])] };
}

function isAnyInteger(key: string, value: unknown): boolean {
  return (key === 'minimum' || key === 'maximum') && Math.abs(Number(value)) === Number.MAX_SAFE_INTEGER;
}

const keywords: Readonly<Record<'google' | 'flat', ReadonlySet<string>>> = {
  google: new Set([...commonKeywords, 'nullable', 'anyOf', 'minimum', 'maximum', 'minItems', 'maxItems', 'title']),
  flat: new Set(commonKeywords),
};

/** Returns a schema of the same values with fewer keywords. */
function simplify(schema: JsonSchema, level: 'google' | 'flat'): JsonSchema {
  return withOneType(withChoices(level === 'flat' ? withoutVariants(schema) : withAnyOf(schema)), level);
}

/** A constant is a single choice. Choices are strings, because Gemini's endpoint accepts no others. */
function withChoices({ const: only, enum: choices, ...rest }: JsonSchema): JsonSchema {
  const all = Array.isArray(choices) ? choices : only === undefined ? [] : [only];
  if (all.length === 0) return rest;
  if (all.every((choice) => typeof choice === 'string')) return { ...rest, type: 'string', enum: all };
  return withNote(rest, `One of ${JSON.stringify(all)}.`);
}

/** A list of types becomes the one that is not null; several are variants, or are listed in the description. */
function withOneType(schema: JsonSchema, level: 'google' | 'flat'): JsonSchema {
  const { type } = schema;
  if (!Array.isArray(type)) return schema;
  const isNullable = type.includes('null') && level === 'google';
  const real = type.filter((each) => each !== 'null');
  if (real.length > 1) {
    const { type: _types, ...rest } = schema;
    if (level === 'flat' || 'anyOf' in schema) return withNote(rest, `One of the types ${real.join(', ')}.`);
    return { ...rest, anyOf: real.map((each) => ({ type: each })), ...(isNullable && { nullable: true }) };
  }
  return { ...schema, type: real[0] ?? 'string', ...(isNullable && { nullable: true }) };
}

/** Gemini's endpoint has one keyword for variants. */
function withAnyOf({ oneOf, ...rest }: JsonSchema): JsonSchema {
  return oneOf === undefined ? rest : { anyOf: oneOf, ...rest };
}

/** A single variant that is not null replaces the variants; several are listed in the description. */
function withoutVariants(schema: JsonSchema): JsonSchema {
  const { anyOf, oneOf, allOf, ...rest } = schema;
  const variants = [anyOf, oneOf, allOf].find((each) => Array.isArray(each) && each.length > 0);
  if (!Array.isArray(variants)) return schema;
  const real = variants.filter((each) => isJsonObject(each) && each['type'] !== 'null');
  const [first] = real;
  if (real.length < 2) return { ...(isJsonObject(first) ? first : {}), ...rest };
  return withNote(rest, `Any of ${JSON.stringify(real).slice(0, 500)}.`);
}

function withNote(schema: JsonSchema, note: string): JsonSchema {
  const description = typeof schema['description'] === 'string' ? `${schema['description']} ` : '';
  return { ...schema, description: `${description}${note}` };
}
