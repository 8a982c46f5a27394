import { jsonrepair } from 'jsonrepair';
import { alternatives, type Schema, type SchemaRoot } from './json-schema.ts';
import type { ScannedParameter } from './function-tags/scan-call.ts';

/** The value that a text stands for, or what it should have been. */
export type Coerced = { readonly value: unknown } | { readonly expected: string };

/**
 * The value that a written parameter stands for by its schema. Text for a string is kept to the byte; a number, list or
 * object is never guessed: what cannot be read says what was expected.
 */
export function coerce(written: ScannedParameter, schema: unknown, root: SchemaRoot): Coerced {
  const choices = alternatives(schema, root);
  const [only] = choices;
  if (only && choices.length === 1) return coerceTo(only, written, root);
  const byPreference = choices.toSorted((one, other) => rank(one) - rank(other));
  // Wherever text is allowed, all that is no JSON is text, and so is what stands in CDATA.
  const isWords = choices.some(isText) && (written.isLiteral || parsed(written.text) === undefined);
  const allowed = isWords ? choices.filter(isText) : byPreference;
  for (const choice of allowed) {
    const coerced = coerceTo(choice, written, root);
    if ('value' in coerced) return coerced;
  }
  return { expected: [...new Set(choices.map(nameOf))].join(' or ') };
}

const order = ['null', 'boolean', 'integer', 'number', 'object', 'array'];

function rank(schema: Schema): number {
  const at = order.indexOf(String(schema['type']));
  return at === -1 ? order.length : at;
}

function isText(schema: Schema): boolean {
  return schema['type'] === 'string';
}

function coerceTo(schema: Schema, { text, isLiteral }: ScannedParameter, root: SchemaRoot): Coerced {
  const { type } = schema;
  if (type === 'string') return { value: enumerated(schema, text) ?? text };
  if (typeof type !== 'string') return { value: untyped(schema, { text, isLiteral }) };
  const value = readers[type]?.(text.trim(), schema, root);
  return value === undefined ? { expected: nameOf(schema) } : { value };
}

/** A word of a list of words may have white space around it. */
function enumerated(schema: Schema, text: string): unknown {
  const values: unknown = 'const' in schema ? [schema['const']] : schema['enum'];
  return Array.isArray(values) ? values.find((value) => value === text || value === text.trim()) : undefined;
}

/** Without a type anything goes: a value of the list of allowed ones, else JSON of a list or an object, else text. */
function untyped(schema: Schema, { text, isLiteral }: { readonly text: string; readonly isLiteral: boolean }): unknown {
  const values: unknown = 'const' in schema ? [schema['const']] : schema['enum'];
  if (Array.isArray(values)) return values.find((value) => String(value) === text.trim()) ?? text;
  const json = isLiteral ? undefined : parsed(text);
  return typeof json === 'object' && json !== null ? json : text;
}

type Reader = (trimmed: string, schema: Schema, root: SchemaRoot) => unknown;

/** Each gives undefined for what it cannot read. */
const readers: Readonly<Record<string, Reader>> = {
  null: (trimmed) => (/^(?:null|none|)$/i.test(trimmed) ? null : undefined),
  boolean: (trimmed) => booleans[trimmed.toLowerCase()],
  integer(trimmed) {
    const value = /^[+-]?\d+(?:\.0+)?$/.test(trimmed) ? Number(trimmed) : undefined;
    return value !== undefined && Number.isSafeInteger(value) ? value : undefined;
  },
  number(trimmed) {
    const value = /^[+-]?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?$/i.test(trimmed) ? Number(trimmed) : NaN;
    return Number.isFinite(value) ? value : undefined;
  },
  object(trimmed) {
    const value = trimmed.startsWith('{') ? repaired(trimmed) : undefined;
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? value : undefined;
  },
  array(trimmed, schema, root) {
    const value = trimmed.startsWith('[') ? repaired(trimmed) : undefined;
    if (Array.isArray(value)) return value;
    return /^[[{]/.test(trimmed) || trimmed === '' ? undefined : single(trimmed, schema, root);
  },
};

const booleans: Readonly<Record<string, boolean>> = {
  true: true,
  false: false,
  yes: true,
  no: false,
  1: true,
  0: false,
};

/** A bare value where a list of such values is wanted. */
function single(trimmed: string, schema: Schema, root: SchemaRoot): readonly unknown[] | undefined {
  const json = parsed(trimmed);
  const item = { name: '', text: typeof json === 'string' ? json : trimmed, isLiteral: false };
  const coerced = coerce(item, schema['items'], root);
  return 'value' in coerced && (typeof coerced.value !== 'object' || coerced.value === null)
    ? [coerced.value]
    : undefined;
}

/** More than this is not repaired, because that takes more time than the text is long. */
const maxRepaired = 20_000;

/** JSON, or what models write for it: single quotes, trailing commas, True and None. */
function repaired(text: string): unknown {
  const value = parsed(text);
  if (value !== undefined || text.length > maxRepaired) return value;
  try {
    return parsed(jsonrepair(text));
  } catch {
    return undefined;
  }
}

/** Deeper lists and objects can neither be logged nor written again. */
const maxDepth = 500;

function parsed(text: string): unknown {
  try {
    const value: unknown = JSON.parse(text);
    return isWithin(value, maxDepth) ? value : undefined;
  } catch {
    return undefined;
  }
}

function isWithin(value: unknown, depth: number): boolean {
  if (typeof value !== 'object' || value === null) return true;
  return depth > 0 && Object.values(value).every((each) => isWithin(each, depth - 1));
}

function nameOf(schema: Schema): string {
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
