import { z } from 'zod';
import { ToolError } from '../contract/error.ts';
import { withRequiredFields } from './with-required-fields.ts';

/** Keywords that put fields together from several schemas: closing one of them would refuse the fields of the others. */
const combining = ['$ref', 'allOf', 'anyOf', 'oneOf', 'patternProperties', 'additionalProperties'];

/**
 * What checks arguments by JSON Schema. Fields that the schema neither describes nor requires are refused, unless it says
 * something of them or is put together from several.
 *
 * @throws {ToolError} `unusable` when the schema is not one of an object, or uses what cannot be checked.
 */
export function parameterSchema(name: string, schema: Readonly<Record<string, unknown>>): z.ZodType {
  if (schema['type'] !== 'object') throw unusable(name, 'they are not of type object');
  const isClosed = !combining.some((keyword) => Object.hasOwn(schema, keyword));
  try {
    // Not in the registry of all schemas: two conversations may know tools of one name and different schemas.
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
