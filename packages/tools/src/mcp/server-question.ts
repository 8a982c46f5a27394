import type { ElicitRequestFormParams, ElicitRequestURLParams } from '@modelcontextprotocol/client';
import * as z from 'zod';
import { ToolError } from '../contract/error.ts';
import type { FieldValue, ServerField, ServerQuestion } from './ask-for-server.ts';

/** Largest question in characters of its JSON, and most fields of a form. */
const maxChars = 20_000;
const maxFields = 20;

/**
 * Returns the question in a request of a server.
 *
 * @throws {ToolError} `unusable` for one that is too large, or an address that is not of the web.
 */
export function serverQuestion(
  server: string,
  params: ElicitRequestFormParams | ElicitRequestURLParams,
): ServerQuestion {
  if (JSON.stringify(params).length > maxChars)
    throw new ToolError('unusable', `The question has more than ${maxChars} characters.`);
  const { message } = params;
  if (params.mode === 'url') return { server, message, fields: [], url: webAddress(params.url) };
  const { properties, required = [] } = params.requestedSchema;
  const fields = Object.entries(properties);
  if (fields.length > maxFields) throw new ToolError('unusable', `The form has more than ${maxFields} fields.`);
  return { server, message, fields: fields.map(([name, field]) => fieldOf(name, field, required.includes(name))) };
}

function webAddress(text: string): URL {
  const url = new URL(text);
  if (url.protocol === 'https:' || url.protocol === 'http:') return url;
  throw new ToolError('unusable', `The address has the scheme ${url.protocol}`);
}

type Definition = ElicitRequestFormParams['requestedSchema']['properties'][string];

function fieldOf(name: string, definition: Definition, isRequired: boolean): ServerField {
  const { title = name, description = '', default: preset } = definition;
  const schema = schemaOf(definition);
  const choices = choicesOf(definition);
  const initial = preset === undefined ? undefined : textOfValue(preset);
  return {
    name,
    title,
    description,
    isRequired,
    isList: definition.type === 'array',
    ...(choices && { choices }),
    ...(initial !== undefined && { initial }),
    read(input) {
      const typed = input.trim() === '' ? (initial ?? '') : input.trim();
      if (typed === '' && !isRequired) return { value: undefined };
      if (typed === '') return { problem: 'A value is required.' };
      const { data, error } = schema.safeParse(typed);
      return error ? { problem: error.issues[0]?.message ?? error.message } : { value: data };
    },
  };
}

function textOfValue(value: FieldValue): string {
  if (typeof value === 'boolean') return value ? 'yes' : 'no';
  return Array.isArray(value) ? value.join(', ') : String(value);
}

/** Returns the schema of the text that is typed for a field, with the value of the field as its output. */
function schemaOf(field: Definition): z.ZodType<FieldValue, string> {
  if (field.type === 'boolean') return z.enum(['yes', 'no']).transform((typed) => typed === 'yes');
  if (field.type === 'array') {
    const { minItems = 0, maxItems = Infinity } = field;
    const list = z.string().transform((typed) => typed.split(',').map((item) => item.trim()));
    const known = z.enum(Object.keys(choicesOf(field) ?? {}));
    return list.pipe(z.array(known).min(minItems).max(maxItems));
  }
  if (field.type === 'number' || field.type === 'integer') {
    const { minimum = -Infinity, maximum = Infinity } = field;
    const number = field.type === 'integer' ? z.int() : z.number();
    return z.string().transform(Number).pipe(number.min(minimum).max(maximum));
  }
  const choices = choicesOf(field);
  return choices ? z.enum(Object.keys(choices)) : textSchema(field as TextDefinition);
}

/** Formats of texts. */
const formats: Readonly<Record<'email' | 'uri' | 'date' | 'date-time', () => z.ZodType<string, string>>> = {
  email: () => z.email(),
  uri: () => z.url(),
  date: () => z.iso.date(),
  'date-time': () => z.iso.datetime({ offset: true }),
};

interface TextDefinition {
  readonly minLength?: number | undefined;
  readonly maxLength?: number | undefined;
  readonly format?: keyof typeof formats | undefined;
}

function textSchema({ minLength = 0, maxLength = Infinity, format }: TextDefinition): z.ZodType<string, string> {
  const length = z.string().min(minLength).max(maxLength);
  return format === undefined ? length : length.pipe(formats[format]());
}

/** Returns the titles of the possible answers by what is typed; undefined for free text. */
function choicesOf(field: Definition): Readonly<Record<string, string>> | undefined {
  if (field.type === 'boolean') return { yes: 'yes', no: 'no' };
  if (field.type === 'array') {
    const { items } = field;
    return 'enum' in items ? namesOf(items.enum) : titlesOf(items.anyOf);
  }
  if ('oneOf' in field) return titlesOf(field.oneOf);
  if (!('enum' in field)) return undefined;
  return namesOf(field.enum, 'enumNames' in field ? field.enumNames : undefined);
}

function namesOf(values: readonly string[], titles: readonly string[] = values): Readonly<Record<string, string>> {
  return Object.fromEntries(values.map((value, at) => [value, titles[at] ?? value]));
}

function titlesOf(
  options: readonly { readonly const: string; readonly title: string }[],
): Readonly<Record<string, string>> {
  return Object.fromEntries(options.map(({ const: value, title }) => [value, title]));
}
