import * as z from 'zod';
import { ToolError } from '../contract/error.ts';
import { withRequiredFields } from './with-required-fields.ts';

/** Keywords that combine the fields of several schemas: closing one of these would reject the fields of the others. */
const combiningKeywords = ['$ref', 'allOf', 'anyOf', 'oneOf', 'patternProperties', 'additionalProperties'];

/**
 * Returns a validator of arguments for a JSON Schema. Fields that the schema neither describes nor requires are
 * rejected, unless it describes no field, has `additionalProperties` or combines several schemas.
 *
 * @throws {ToolError} `unusable` when the schema does not describe an object, or uses an unsupported keyword.
 */
export function parameterSchema(name: string, schema: Readonly<Record<string, unknown>>): z.ZodType {
  if (schema['type'] !== 'object') throw unusable(name, 'they are not of type object');
  const has = (keyword: string): boolean => Object.hasOwn(schema, keyword);
  const isClosed = ['properties', 'required'].some(has) && !combiningKeywords.some(has);
  try {
    // Not in the global registry: two conversations may have tools of the same name with different schemas.
    return z.fromJSONSchema(
      { ...withRequiredFields(schema), ...(isClosed && { additionalProperties: false }) },
      { registry: z.registry() },
    );
  } catch (error) {
    throw unusable(name, error instanceof Error ? error.message.replace(/\.$/, '') : 'they cannot be read', error);
  }
}

function unusable(name: string, why: string, cause?: unknown): ToolError {
  return new ToolError('unusable', `The parameters of the client tool ${name} cannot be used: ${why}.`, { cause });
}
