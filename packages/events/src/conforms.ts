import * as z from 'zod';

/**
 * Returns true if parsing would return the value unchanged: no defaults to add, no null for absence, no unknown field.
 */
type Check = (value: unknown) => boolean;

/**
 * Derives a check from a schema: would parsing return the JSON value unchanged? It does for most events of a log, and
 * the check costs a fraction of parsing, which copies everything. If the check returns false, the value must be parsed.
 *
 * Containers and common schemas have checks of their own; any other schema is checked by parsing.
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
  if (schema instanceof z.ZodCustom) return customCheck(schema);
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
  const byKey = new Map(fields.map((field) => [field.key, field]));
  const required = fields.filter(({ isOptional }) => !isOptional).length;
  return (value) => {
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return false;
    let missing = required;
    for (const key in value) {
      const field = byKey.get(key);
      if (!field?.check((value as Readonly<Record<string, unknown>>)[key])) return false;
      if (!field.isOptional) missing--;
    }
    return missing === 0;
  };
}

/**
 * Absence of a field with a default does not conform, because parsing would add the default; nor does null for absence.
 */
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

/** Options of a discriminated union do not overlap. Other unions are parsed, because parsing takes the first match. */
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

/** Checks one pattern or one minimum length directly. Any other check parses with the schema. */
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

function customCheck({ def: { fn } }: z.ZodCustom): Check {
  return (value) => fn(value) === true;
}

/** Checks by parsing: the schema must return the same value. */
function viaSchema(schema: z.ZodType): Check {
  return (value) => {
    const result = schema.safeParse(value);
    return result.success && Object.is(result.data, value);
  };
}

function hasChecks({ def }: z.ZodType): boolean {
  return 'checks' in def && Array.isArray(def.checks) && def.checks.length > 0;
}

/** Converts the element type of a container, which zod declares as a core type. All schemas use the classic API. */
export function asType(schema: unknown): z.ZodType {
  return schema as z.ZodType;
}
