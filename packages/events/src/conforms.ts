import { z } from 'zod';

/** Whether a JSON value is already what a schema would make of it: complete, without null for absence, nothing unknown. */
type Check = (value: unknown) => boolean;

/**
 * Derives a check from a schema that says whether parsing a JSON value would give just that value back. Most events in a
 * log are so, and checking costs a fraction of parsing, which builds everything anew. False only means: parse.
 *
 * Containers are looked through here, every other schema is asked, so that any schema is right and the common ones fast.
 */
export function conforms(schema: z.ZodType): Check {
  if (hasChecks(schema)) return schema instanceof z.ZodString ? stringCheck(schema) : viaSchema(schema);
  if (schema instanceof z.ZodObject) return objectCheck(schema);
  if (schema instanceof z.ZodArray) return arrayCheck(conforms(asType(schema.element)));
  if (schema instanceof z.ZodDiscriminatedUnion) return discriminatedCheck(schema);
  if (schema instanceof z.ZodRecord) return recordCheck(schema);
  if (schema instanceof z.ZodString) return (value) => typeof value === 'string';
  if (schema instanceof z.ZodBoolean) return (value) => typeof value === 'boolean';
  if (schema instanceof z.ZodUnknown) return () => true;
  if (schema instanceof z.ZodLiteral || schema instanceof z.ZodEnum) return oneOf(schema);
  return viaSchema(schema);
}

interface Field {
  readonly key: string;
  readonly check: Check;
  readonly isOptional: boolean;
}

function objectCheck(schema: z.ZodObject): Check {
  if (!(schema.def.catchall instanceof z.ZodNever)) return viaSchema(schema);
  const fields = Object.entries(schema.shape).map(([key, field]): Field => fieldCheck(key, asType(field)));
  return (value) => {
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return false;
    let left = Object.keys(value).length;
    for (const { key, check, isOptional } of fields) {
      const field = (value as Readonly<Record<string, unknown>>)[key];
      if (field === undefined) {
        if (!isOptional) return false;
      } else if (check(field)) left--;
      else return false;
    }
    return left === 0;
  };
}

/** What is absent and has a default is not yet what parsing would give; null for absence is not either. */
function fieldCheck(key: string, schema: z.ZodType): Field {
  if (schema instanceof z.ZodDefault) return { key, check: conforms(asType(schema.unwrap())), isOptional: false };
  if (!(schema instanceof z.ZodExactOptional)) return { key, check: conforms(schema), isOptional: false };
  const check = conforms(asType(schema.unwrap()));
  return { key, check: (value) => value !== null && check(value), isOptional: true };
}

function arrayCheck(check: Check): Check {
  return (value) => {
    if (!Array.isArray(value)) return false;
    for (const item of value) if (!check(item)) return false;
    return true;
  };
}

function recordCheck(schema: z.ZodRecord): Check {
  if (!(schema.keyType instanceof z.ZodString) || hasChecks(schema.keyType)) return viaSchema(schema);
  const check = conforms(asType(schema.valueType));
  return (value) => {
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return false;
    for (const key in value) {
      if (key === '__proto__' || !check((value as Readonly<Record<string, unknown>>)[key])) return false;
    }
    return true;
  };
}

/** The options of other unions may overlap, and parsing takes the first that fits: these are asked. */
function discriminatedCheck(schema: z.ZodDiscriminatedUnion): Check {
  const checks = schema.options.map((option) => conforms(asType(option)));
  return (value) => checks.some((check) => check(value));
}

function oneOf(schema: z.ZodLiteral | z.ZodEnum): Check {
  const values = new Set<unknown>(schema instanceof z.ZodLiteral ? schema.values : schema.options);
  return (value) => values.has(value);
}

interface StringRule {
  readonly check: string;
  readonly format?: string;
  readonly pattern?: RegExp;
  readonly minimum?: number;
}

/** One pattern or one least length is common and tested here; whatever else a string can be asked for is asked of the schema. */
function stringCheck(schema: z.ZodString): Check {
  const [rule, ...more] = (schema.def.checks ?? []).map(({ _zod: { def } }): StringRule => def);
  if (!rule || more.length > 0) return viaSchema(schema);
  const { minimum, pattern } = rule;
  if (rule.check === 'min_length' && minimum !== undefined) {
    return (value) => typeof value === 'string' && value.length >= minimum;
  }
  if (rule.format !== 'regex' || !pattern || pattern.global || pattern.sticky) return viaSchema(schema);
  return (value) => typeof value === 'string' && pattern.test(value);
}

/** The schema gives just this value back, whatever it is and does. */
function viaSchema(schema: z.ZodType): Check {
  return (value) => {
    const result = schema.safeParse(value);
    return result.success && Object.is(result.data, value);
  };
}

function hasChecks({ def }: z.ZodType): boolean {
  return 'checks' in def && Array.isArray(def.checks) && def.checks.length > 0;
}

/** zod types the inside of a container as its core type; every schema here is made with the classic API. */
function asType(schema: unknown): z.ZodType {
  return schema as z.ZodType;
}
