import type { JsonSchema } from '@varve/text';
import { anyArguments, argumentCheck, type ArgumentCheck } from './client/argument-check.ts';
import { ToolError } from './contract/error.ts';
import {
  isStandardSchema,
  isZodObject,
  jsonSchemaOf,
  validated,
  zodForm,
  type StandardSchema,
} from './contract/standard-schema.ts';

/** Fields that every call has. */
const reservedFields = new Set(['kind', 'message', 'security_risk', 'structured_output', 'summary']);
const knownKeywords = new Set([
  '$defs',
  '$id',
  '$schema',
  'additionalProperties',
  'definitions',
  'description',
  'properties',
  'required',
  'title',
  'type',
]);

/** Form of an answer. */
export interface AnswerForm {
  /** JSON Schema of its fields. */
  readonly schema: Readonly<Record<string, unknown>>;
  readonly check: ArgumentCheck;
}

/** Schema of an answer: one of a library, or JSON Schema. */
export type AnswerSchema = StandardSchema | JsonSchema;

/**
 * Returns the form of an answer from a schema: an object with named properties and no others.
 *
 * @throws {ToolError} `unusable` when the schema describes anything else, or names a field that every call has.
 */
export function answerForm(schema: AnswerSchema): AnswerForm {
  if (isZodObject(schema)) {
    const taken = Object.keys(schema.shape).find((name) => reservedFields.has(name));
    if (taken !== undefined) throw unusable(`the property ${taken} is one that calls have already`);
    const { parameters, parse } = zodForm('finish', schema.strict());
    return { schema: parameters, check: parse };
  }
  if (!isStandardSchema(schema)) return jsonForm(schema);
  const form = jsonForm(jsonSchemaOf('finish', schema));
  return { ...form, check: (answer) => anyArguments('finish')(validated('finish', schema, form.check(answer))) };
}

function jsonForm(schema: JsonSchema): AnswerForm {
  const { properties = {}, required = [] } = schema;
  const names = Object.keys(Object(properties));
  const clash = names.find((name) => reservedFields.has(name));
  const odd = Object.keys(schema).find((key) => !knownKeywords.has(key));
  if (schema['type'] !== 'object' || names.length === 0) throw unusable('it is not an object with named properties');
  if (schema['additionalProperties'] !== undefined && schema['additionalProperties'] !== false)
    throw unusable('it allows properties without a name');
  if (odd !== undefined) throw unusable(`it has the keyword ${odd}`);
  if (clash !== undefined) throw unusable(`the property ${clash} is one that calls have already`);
  const missing = Array.isArray(required) && required.find((name) => !names.includes(String(name)));
  if (missing !== undefined && missing !== false)
    throw unusable(`it requires ${String(missing)}, which it does not describe`);
  return { schema, check: argumentCheck('finish', { ...schema, additionalProperties: false }) };
}

function unusable(why: string): ToolError {
  return new ToolError('unusable', `The schema of the answer cannot be used: ${why}.`);
}
