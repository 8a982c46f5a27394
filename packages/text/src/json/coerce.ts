import { alternativesOf, isJsonObject, propertiesOf, typesOf, type JsonSchema } from './json-schema.ts';
import { isExact } from './literals.ts';
import { parseExactJson, readModelJson } from './model-json.ts';

/** Value of a text, or a description of the value that was expected. */
export type Coerced = { readonly value: unknown } | { readonly expected: string };

/** A value written as text. */
export interface WrittenValue {
  readonly text: string;
  /** The text was marked as text, so it is JSON only where no string is allowed. */
  readonly isLiteral: boolean;
}

/** Options of a coercion. */
export interface CoerceOptions {
  /** Schema in which references are looked up. */
  readonly root: JsonSchema;
}

/**
 * Returns the value that a written parameter has by its schema. Text for a string is kept to the byte; yes and no are
 * booleans; one value is read as a list of one. Numbers, lists and objects that cannot be read are not guessed.
 */
export function coerceText(written: WrittenValue, schema: unknown, options: CoerceOptions): Coerced {
  const choices = alternativesOf(schema, options.root);
  const [only] = choices;
  if (only && choices.length === 1) return coerceTo(only, written, options);
  const byPreference = choices.toSorted((a, b) => rank(a) - rank(b));
  // Where a string is allowed, all that is not JSON is one, and so is marked text.
  const isString = choices.some(isText) && (written.isLiteral || parseExactJson(written.text) === undefined);
  const allowed = isString ? choices.filter(isText) : byPreference;
  for (const choice of allowed) {
    const coerced = coerceTo(choice, written, options);
    if ('value' in coerced) return coerced;
  }
  return { expected: [...new Set(choices.map(nameOf))].join(' or ') };
}

/**
 * Returns the fields of an object as a schema requires them, where only one value can be meant: a string that holds the
 * list, object, number or boolean that is required, and a list of one string where one string is. Fields that fit,
 * cannot be read or are not in the schema stay as they are: several strings are never joined.
 */
export function coerceFields(
  fields: Readonly<Record<string, unknown>>,
  { root }: CoerceOptions,
): Record<string, unknown> {
  const properties = propertiesOf(root);
  return Object.fromEntries(
    Object.entries(fields).map(([name, value]) => {
      const types = Object.hasOwn(properties, name) ? typesOf(properties[name], root) : [];
      return [name, types.some((type) => hasType(value, type)) ? value : fitted(value, types)];
    }),
  );
}

function fitted(value: unknown, types: readonly string[]): unknown {
  if (Array.isArray(value)) {
    const [only] = value as readonly unknown[];
    return types.includes('string') && value.length === 1 && typeof only === 'string' ? only : value;
  }
  if (typeof value !== 'string') return value;
  const text = value.trim();
  return types.map((type) => exact[type]?.(text)).find((read) => read !== undefined) ?? value;
}

function hasType(value: unknown, type: string): boolean {
  if (type === 'null') return value === null;
  if (type === 'array') return Array.isArray(value);
  if (type === 'integer') return Number.isSafeInteger(value);
  if (type === 'object') return isJsonObject(value);
  return typeof value === type;
}

const order = ['null', 'boolean', 'integer', 'number', 'object', 'array'];

function rank(schema: JsonSchema): number {
  const at = order.indexOf(String(schema['type']));
  return at === -1 ? order.length : at;
}

function isText(schema: JsonSchema): boolean {
  return schema['type'] === 'string';
}

function coerceTo(schema: JsonSchema, written: WrittenValue, options: CoerceOptions): Coerced {
  const { type } = schema;
  if (type === 'string') return { value: enumerated(schema, written.text) ?? written.text };
  if (typeof type !== 'string') return { value: untyped(schema, written) };
  const text = written.text.trim();
  const value = exact[type]?.(text) ?? loose[type]?.(text, schema, options);
  return value === undefined ? { expected: nameOf(schema) } : { value };
}

/** A value of a list of allowed ones may have white space around it. */
function enumerated(schema: JsonSchema, text: string): unknown {
  return allowedValues(schema)?.find((value) => value === text || value === text.trim());
}

/** Returns a value of the list of allowed ones, else what the text is as JSON, else the text. */
function untyped(schema: JsonSchema, { text, isLiteral }: WrittenValue): unknown {
  const values = allowedValues(schema);
  if (values) return values.find((value) => String(value) === text.trim()) ?? text;
  const json = isLiteral ? undefined : parseExactJson(text);
  // A string in quotes may mean the quotes, and a number with too many digits would be another one.
  const isOther = typeof json === 'string' || (typeof json === 'number' && String(json) !== text.trim());
  return json === undefined || isOther ? text : json;
}

function allowedValues(schema: JsonSchema): readonly unknown[] | undefined {
  const values: unknown = 'const' in schema ? [schema['const']] : schema['enum'];
  return Array.isArray(values) ? values : undefined;
}

/** Readers of text that can only mean a value of the type; each returns undefined for other text. */
const exact: Readonly<Record<string, (text: string) => unknown>> = {
  boolean: (text) => (/^(?:true|false)$/i.test(text) ? text.toLowerCase() === 'true' : undefined),
  integer: (text) => readNumber(text, /^-?\d+(?:\.0+)?$/, Number.isSafeInteger),
  number: (text) => readNumber(text, /^-?\d+(?:\.\d+)?$/, Number.isFinite),
  object(text) {
    const value = text.startsWith('{') ? valueOf(text) : undefined;
    return isJsonObject(value) ? value : undefined;
  },
  array(text) {
    const value = text.startsWith('[') ? valueOf(text) : undefined;
    return Array.isArray(value) ? value : undefined;
  },
};

/** Readers of other text, which is used where no other value is possible. */
const loose: Readonly<Record<string, (text: string, schema: JsonSchema, options: CoerceOptions) => unknown>> = {
  null: (text) => (/^(?:null|none|)$/i.test(text) ? null : undefined),
  boolean: (text) => booleans[text.toLowerCase()],
  integer: (text) => readNumber(text, /^[+-]?\d+(?:\.0+)?$/, Number.isSafeInteger),
  number: (text) => readNumber(text, /^[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:e[+-]?\d+)?$/i, Number.isFinite),
  array: (text, schema, options) => (/^(?:[[{]|$)/.test(text) ? undefined : single(text, schema, options)),
};

const booleans: Readonly<Record<string, boolean>> = { yes: true, no: false, 1: true, 0: false };

function readNumber(text: string, pattern: RegExp, isValid: (value: unknown) => boolean): number | undefined {
  const value = pattern.test(text) ? Number(text) : undefined;
  return value !== undefined && isValid(value) && isExact(text, value) ? value : undefined;
}

/** Returns a list of one bare value, where a list of such values is required. */
function single(text: string, schema: JsonSchema, options: CoerceOptions): readonly unknown[] | undefined {
  const json = parseExactJson(text);
  const item = { text: typeof json === 'string' ? json : text, isLiteral: false };
  const coerced = coerceText(item, schema['items'], options);
  return 'value' in coerced && (typeof coerced.value !== 'object' || coerced.value === null)
    ? [coerced.value]
    : undefined;
}

function nameOf(schema: JsonSchema): string {
  const names: Readonly<Record<string, string>> = {
    integer: 'an integer',
    number: 'a number',
    boolean: 'true or false',
    object: 'a JSON object',
    array: 'a JSON list',
    null: 'null',
  };
  return names[String(schema['type'])] ?? 'text';
}

/** Returns the value of a JSON text, which may need a repair. */
function valueOf(text: string): unknown {
  const read = readModelJson(text);
  return 'value' in read ? read.value : undefined;
}
