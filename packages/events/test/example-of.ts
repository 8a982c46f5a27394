import * as z from 'zod';
import type { DefinedPayload } from './definitions.ts';
import { payloadExamples } from './examples.ts';

/**
 * Returns a value that a schema accepts, with every optional field set. The same schema always returns the same value.
 *
 * @throws {TypeError} for schemas that do not describe their values, such as `z.custom`.
 */
export function exampleOf(schema: unknown): unknown {
  if (schema instanceof z.ZodDefault || schema instanceof z.ZodExactOptional) return exampleOf(schema.unwrap());
  if (schema instanceof z.ZodString || schema instanceof z.ZodUnknown) return 'text';
  if (schema instanceof z.ZodNumber) return schema.isInt ? 1 : 0.5;
  if (schema instanceof z.ZodBoolean) return true;
  if (schema instanceof z.ZodEnum) return schema.options[0];
  if (schema instanceof z.ZodLiteral) return schema.value;
  if (schema instanceof z.ZodArray) return [exampleOf(schema.element)];
  if (schema instanceof z.ZodRecord) return { key: exampleOf(schema.valueType) };
  if (schema instanceof z.ZodUnion) return exampleOf(schema.options[0]);
  if (schema instanceof z.ZodObject) return exampleOfFields(schema.shape);
  throw new TypeError(`No example can be derived from a ${schema?.constructor.name}: add one to examples.ts.`);
}

/** Returns an example of every field of a shape. */
export function exampleOfFields(shape: Readonly<Record<string, unknown>>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(shape).map(([name, field]) => [name, exampleOf(field)]));
}

/** Returns example fields of a payload: those of examples.ts, else derived from the schema. */
export function payloadFields({ kind, fields }: DefinedPayload): Readonly<Record<string, unknown>> {
  return payloadExamples[kind] ?? exampleOfFields(fields.shape);
}
