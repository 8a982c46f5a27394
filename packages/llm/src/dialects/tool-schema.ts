import { commonKeywords, isSchema, mapSubschemas, narrowSchema, type JsonSchema } from '@varve/text';
import type { Dialect } from './dialect.ts';

/**
 * Tool parameters as a server takes them. `full` is what was given; `plain` has references to its own definitions written
 * out, without `$schema` and the limits that stand for "any integer"; `google` has in addition only what Gemini's endpoint
 * takes; `flat` keeps types, names, descriptions and choices. The root is always an object with properties.
 */
export function toolSchema(schema: JsonSchema, level: Dialect['schema']): JsonSchema {
  if (level === 'full') return schema;
  const plain = plainOf(schema, { definitions: definitionsOf(schema), open: [], budget: { left: mostWrittenOut } });
  const narrowed =
    level === 'plain' ? plain : narrowSchema(plain, keywords[level], (inner) => simplified(inner, level));
  return { ...narrowed, type: 'object', properties: narrowed['properties'] ?? {} };
}

/** Definitions that refer to each other would fill any request. */
const mostWrittenOut = 200;

interface Within {
  readonly definitions: ReadonlyMap<string, unknown>;
  /** References that are being written out: one that comes again is recursive, and has no end. */
  readonly open: readonly string[];
  /** How many more references of this tool are written out; the others keep only their type. */
  readonly budget: { left: number };
}

function definitionsOf(schema: JsonSchema): ReadonlyMap<string, unknown> {
  const named = (['$defs', 'definitions'] as const).flatMap((place) => {
    const definitions = schema[place];
    const entries = isSchema(definitions) ? Object.entries(definitions) : [];
    return entries.map(([name, value]): [string, unknown] => [`#/${place}/${name}`, value]);
  });
  return new Map([['#', schema], ...named]);
}

const noise = new Set(['$schema', '$id', '$defs', 'definitions', '$comment', 'propertyNames']);

function plainOf(schema: JsonSchema, within: Within): JsonSchema {
  const { $ref: reference, ...rest } = schema;
  if (typeof reference === 'string') return writtenOut(reference, rest, within);
  const kept = Object.entries(rest).filter(([key, value]) => !noise.has(key) && !isAnyInteger(key, value));
  return mapSubschemas(Object.fromEntries(kept), (inner) => plainOf(inner, within));
}

function writtenOut(reference: string, beside: JsonSchema, { definitions, open, budget }: Within): JsonSchema {
  const target = definitions.get(reference);
  const within = { definitions, open: [...open, reference], budget };
  if (open.includes(reference) || !isSchema(target)) return plainOf({ type: 'object', ...beside }, within);
  if (budget.left === 0) return plainOf({ ...('type' in target && { type: target['type'] }), ...beside }, within);
  budget.left -= 1;
  return plainOf({ ...target, ...beside }, within);
}

function isAnyInteger(key: string, value: unknown): boolean {
  return (key === 'minimum' || key === 'maximum') && Math.abs(Number(value)) === Number.MAX_SAFE_INTEGER;
}

const keywords: Readonly<Record<'google' | 'flat', ReadonlySet<string>>> = {
  google: new Set([...commonKeywords, 'nullable', 'anyOf', 'minimum', 'maximum', 'minItems', 'maxItems', 'title']),
  flat: new Set(commonKeywords),
};

/** Returns a schema of the same values with fewer keywords. */
function simplified(schema: JsonSchema, level: 'google' | 'flat'): JsonSchema {
  return withOneType(withChoices(level === 'flat' ? withoutVariants(schema) : withAnyOf(schema)), level);
}

/** One fixed value is a choice of one. Choices are texts, because Gemini's endpoint takes no others. */
function withChoices({ const: only, enum: choices, ...rest }: JsonSchema): JsonSchema {
  const all = Array.isArray(choices) ? choices : only === undefined ? [] : [only];
  if (all.length === 0) return rest;
  if (all.every((choice) => typeof choice === 'string')) return { ...rest, type: 'string', enum: all };
  return described(rest, `One of ${JSON.stringify(all)}.`);
}

/** A list of types is its first one that is not null. */
function withOneType(schema: JsonSchema, level: 'google' | 'flat'): JsonSchema {
  const { type } = schema;
  if (!Array.isArray(type)) return schema;
  const isNullable = type.includes('null') && level === 'google';
  return { ...schema, type: type.find((each) => each !== 'null') ?? 'string', ...(isNullable && { nullable: true }) };
}

/** Gemini's endpoint knows one word for variants. */
function withAnyOf({ oneOf, ...rest }: JsonSchema): JsonSchema {
  return oneOf === undefined ? rest : { anyOf: oneOf, ...rest };
}

/** The only variant that is not null stands for itself; several are told in the description, and nothing is ruled out. */
function withoutVariants(schema: JsonSchema): JsonSchema {
  const { anyOf, oneOf, allOf, ...rest } = schema;
  const variants = [anyOf, oneOf, allOf].find((each) => Array.isArray(each) && each.length > 0);
  if (!Array.isArray(variants)) return schema;
  const real = variants.filter((each) => isSchema(each) && each['type'] !== 'null');
  const [first] = real;
  if (real.length < 2) return { ...(isSchema(first) ? first : {}), ...rest };
  return described(rest, `Any of ${JSON.stringify(real).slice(0, 500)}.`);
}

function described(schema: JsonSchema, note: string): JsonSchema {
  const said = typeof schema['description'] === 'string' ? `${schema['description']} ` : '';
  return { ...schema, description: `${said}${note}` };
}
