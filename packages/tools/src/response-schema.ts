import type * as z from 'zod';
import { argumentCheck, type ArgumentCheck } from './client/argument-check.ts';
import { invalidArguments, ToolError } from './contract/error.ts';
import { modelSchema } from './contract/model-schema.ts';

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

/**
 * Returns the form of an answer from a zod object or a JSON Schema: an object with named properties and no others.
 *
 * @throws {ToolError} `unusable` when the schema describes anything else, or names a field that every call has.
 */
export function answerForm(schema: z.ZodObject | Readonly<Record<string, unknown>>): AnswerForm {
  if (isZod(schema)) {
    const taken = Object.keys(schema.shape).find((name) => reservedFields.has(name));
    if (taken !== undefined) throw unusable(`the property ${taken} is one that calls have already`);
    return { schema: modelSchema(schema), check: zodCheck(schema.strict()) };
  }
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

function zodCheck(schema: z.ZodObject): ArgumentCheck {
  return (answer) => {
    const result = schema.safeParse(answer);
    if (result.success) return result.data;
    throw invalidArguments('finish', result.error);
  };
}

/** Not `instanceof`: an application may have another copy of zod. */
function isZod(schema: z.ZodObject | Readonly<Record<string, unknown>>): schema is z.ZodObject {
  return '_zod' in schema && 'shape' in schema;
}

function unusable(why: string): ToolError {
  return new ToolError('unusable', `The schema of the answer cannot be used: ${why}.`);
}
