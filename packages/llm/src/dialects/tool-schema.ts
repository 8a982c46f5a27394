import type { Dialect } from './dialect.ts';

type Schema = Readonly<Record<string, unknown>>;

/**
 * Tool parameters as a server takes them. `full` is what was given; `plain` has references to its own definitions written
 * out, without `$schema` and the limits that stand for "any integer"; `google` has in addition only what Gemini's endpoint
 * takes; `flat` keeps types, names, descriptions and choices. The root is always an object with properties.
 */
export function toolSchema(schema: Schema, level: Dialect['schema']): Schema {
  if (level === 'full') return schema;
  const plain = plainOf(schema, { definitions: definitionsOf(schema), open: [], budget: { left: mostWrittenOut } });
  const narrowed = level === 'plain' ? plain : narrowedTo(level, plain);
  const root = isObject(narrowed) ? narrowed : {};
  return { ...root, type: 'object', properties: root['properties'] ?? {} };
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

function isObject(value: unknown): value is Schema {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function definitionsOf(schema: Schema): ReadonlyMap<string, unknown> {
  const named = (['$defs', 'definitions'] as const).flatMap((place) => {
    const definitions = schema[place];
    const entries = isObject(definitions) ? Object.entries(definitions) : [];
    return entries.map(([name, value]): [string, unknown] => [`#/${place}/${name}`, value]);
  });
  return new Map([['#', schema], ...named]);
}

/** Keys whose values are maps from names to schemas, so that a property may be called `$schema` or `pattern`. */
const maps = new Set(['properties', 'patternProperties']);
/** Keys whose values are data, not schemas. */
const literals = new Set(['enum', 'const', 'default', 'examples', 'required']);

/** Applies `change` to every schema directly inside. */
function inside(key: string, value: unknown, change: (schema: unknown) => unknown): unknown {
  if (literals.has(key)) return value;
  if (maps.has(key) && isObject(value)) {
    return Object.fromEntries(Object.entries(value).map(([name, schema]) => [name, change(schema)]));
  }
  if (Array.isArray(value)) return value.map(change);
  return isObject(value) ? change(value) : value;
}

const noise = new Set(['$schema', '$id', '$defs', 'definitions', '$comment', 'propertyNames']);

function plainOf(schema: unknown, within: Within): unknown {
  if (!isObject(schema)) return schema;
  const { $ref: reference, ...rest } = schema;
  if (typeof reference === 'string') return writtenOut(reference, rest, within);
  const kept = Object.entries(rest).filter(([key, value]) => !noise.has(key) && !isAnyInteger(key, value));
  return Object.fromEntries(kept.map(([key, value]) => [key, inside(key, value, (inner) => plainOf(inner, within))]));
}

function writtenOut(reference: string, beside: Schema, { definitions, open, budget }: Within): unknown {
  const target = definitions.get(reference);
  const within = { definitions, open: [...open, reference], budget };
  if (open.includes(reference) || !isObject(target)) return plainOf({ type: 'object', ...beside }, within);
  if (budget.left === 0) return plainOf({ ...('type' in target && { type: target['type'] }), ...beside }, within);
  budget.left -= 1;
  return plainOf({ ...target, ...beside }, within);
}

function isAnyInteger(key: string, value: unknown): boolean {
  return (key === 'minimum' || key === 'maximum') && Math.abs(Number(value)) === Number.MAX_SAFE_INTEGER;
}

const kept: Readonly<Record<'google' | 'flat', ReadonlySet<string>>> = {
  google: new Set([
    'type',
    'description',
    'properties',
    'required',
    'items',
    'enum',
    'nullable',
    'anyOf',
    'minimum',
    'maximum',
    'minItems',
    'maxItems',
    'title',
  ]),
  flat: new Set(['type', 'description', 'properties', 'required', 'items', 'enum']),
};

function narrowedTo(level: 'google' | 'flat', schema: unknown): unknown {
  if (!isObject(schema)) return schema;
  const narrow = (inner: unknown): unknown => narrowedTo(level, inner);
  const single = withOneType(withChoices(level === 'flat' ? withoutVariants(schema) : withAnyOf(schema)), level);
  const entries = Object.entries(single).filter(([key]) => kept[level].has(key));
  return Object.fromEntries(entries.map(([key, value]) => [key, inside(key, value, narrow)]));
}

/** One fixed value is a choice of one. Choices are texts, because Gemini's endpoint takes no others. */
function withChoices({ const: only, enum: choices, ...rest }: Schema): Schema {
  const all = Array.isArray(choices) ? choices : only === undefined ? [] : [only];
  if (all.length === 0) return rest;
  if (all.every((choice) => typeof choice === 'string')) return { ...rest, type: 'string', enum: all };
  return described(rest, `One of ${JSON.stringify(all)}.`);
}

/** A list of types is its first one that is not null. */
function withOneType(schema: Schema, level: 'google' | 'flat'): Schema {
  const { type } = schema;
  if (!Array.isArray(type)) return schema;
  const isNullable = type.includes('null') && level === 'google';
  return { ...schema, type: type.find((each) => each !== 'null') ?? 'string', ...(isNullable && { nullable: true }) };
}

/** Gemini's endpoint knows one word for variants. */
function withAnyOf({ oneOf, ...rest }: Schema): Schema {
  return oneOf === undefined ? rest : { anyOf: oneOf, ...rest };
}

/** The only variant that is not null stands for itself; several are told in the description, and nothing is ruled out. */
function withoutVariants(schema: Schema): Schema {
  const { anyOf, oneOf, allOf, ...rest } = schema;
  const variants = [anyOf, oneOf, allOf].find((each) => Array.isArray(each) && each.length > 0);
  if (!Array.isArray(variants)) return schema;
  const real = variants.filter((each) => isObject(each) && each['type'] !== 'null');
  const [first] = real;
  if (real.length < 2) return { ...(isObject(first) ? first : {}), ...rest };
  return described(rest, `Any of ${JSON.stringify(real).slice(0, 500)}.`);
}

function described(schema: Schema, note: string): Schema {
  const said = typeof schema['description'] === 'string' ? `${schema['description']} ` : '';
  return { ...schema, description: `${said}${note}` };
}
