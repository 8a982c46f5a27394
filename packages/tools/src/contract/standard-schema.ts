import type { JsonSchema } from '@varve/text';
import type * as z from 'zod';
import { invalidArguments, invalidInput, ToolError } from './error.ts';
import { modelSchema, portableSchema } from './model-schema.ts';

interface Issue {
  readonly message: string;
  readonly path?: readonly (PropertyKey | { readonly key: PropertyKey })[] | undefined;
}

type Validation<Output> =
  | { readonly value: Output; readonly issues?: undefined }
  | { readonly issues: readonly Issue[] };

/**
 * Schema of any library that implements the interface of https://standardschema.dev, such as zod, valibot and arktype.
 * It validates without waiting.
 */
export interface StandardSchema<Output = unknown> {
  readonly '~standard': {
    readonly version: 1;
    readonly vendor: string;
    readonly validate: (value: unknown) => Validation<Output> | Promise<Validation<Output>>;
    readonly types?: { readonly input: unknown; readonly output: Output } | undefined;
    /** Absent from libraries that do not convert their schemas. */
    readonly jsonSchema?: { readonly input: (options: { readonly target: 'draft-2020-12' }) => JsonSchema };
  };
}

/** What a tool needs of the schema of its input. */
export interface InputForm<Input> {
  /** JSON Schema for models. */
  readonly parameters: JsonSchema;
  /** @throws {ToolError} `invalid-input` naming fields and reasons. */
  readonly parse: (input: unknown) => Input;
}

/** Returns the form of a zod object. */
export function zodForm<Schema extends z.ZodObject>(name: string, schema: Schema): InputForm<z.output<Schema>> {
  const parse = (input: unknown): z.output<Schema> => {
    const result = schema.safeParse(input);
    if (result.success) return result.data;
    throw invalidArguments(name, result.error);
  };
  return { parameters: modelSchema(schema), parse };
}

/**
 * Returns the form of the input of a tool. A zod object rejects unknown fields, unless it is `loose` or has a
 * `catchall`; a schema of another library treats them as that does.
 *
 * @throws {ToolError} `unusable` for a schema that has no JSON Schema of an object.
 */
export function inputForm<Input>(
  name: string,
  schema: StandardSchema<Input>,
  jsonSchema?: JsonSchema,
): InputForm<Input> {
  if (isZodObject(schema)) {
    const strict = schema.def.catchall === undefined ? schema.strict() : schema;
    return zodForm(name, strict) as InputForm<Input>;
  }
  const parameters = jsonSchema ?? jsonSchemaOf(name, schema);
  if (parameters['type'] !== 'object') throw new ToolError('unusable', `The input of ${name} is not an object.`);
  return { parameters: portableSchema(parameters), parse: (input) => validated(name, schema, input) };
}

/** Returns the JSON Schema that a library makes of a schema. @throws {ToolError} `unusable` if it makes none. */
export function jsonSchemaOf(name: string, { '~standard': standard }: StandardSchema): JsonSchema {
  try {
    const made = standard.jsonSchema?.input({ target: 'draft-2020-12' });
    if (made) return made;
  } catch (cause) {
    throw new ToolError('unusable', `${standard.vendor} makes no JSON Schema of the schema of ${name}.`, { cause });
  }
  throw new ToolError('unusable', `The schema of ${name} by ${standard.vendor} has no JSON Schema.`);
}

/** Returns what a schema makes of a value. @throws {ToolError} `invalid-input`, `unusable` if it has to wait. */
export function validated<Output>(
  name: string,
  { '~standard': standard }: StandardSchema<Output>,
  value: unknown,
): Output {
  const result = standard.validate(value);
  if (result instanceof Promise) throw new ToolError('unusable', `The schema of ${name} validates asynchronously.`);
  if (result.issues === undefined) return result.value;
  const reasons = result.issues.map(({ path = [], message }) => {
    const keys = path.map((part) => String(typeof part === 'object' ? part.key : part));
    return [keys.join('.'), message.replace(/\.$/, '')].filter(Boolean).join(': ');
  });
  throw invalidInput(name, reasons);
}

/** Not `instanceof`: an application may have another copy of zod. */
export function isZodObject(schema: object): schema is z.ZodObject {
  return '_zod' in schema && 'shape' in schema;
}

/** Reports whether it is a schema of a library, and not JSON Schema. */
export function isStandardSchema(schema: object): schema is StandardSchema {
  return '~standard' in schema;
}
