import { z } from 'zod';
import { conforms } from './conforms.ts';

type Repair = (raw: unknown) => unknown;

/** What to do with a raw value before it is read; only {@link lenient} looks here, so creating stays strict. */
const readers = z.registry<{ readonly before: Repair }>();

/** Marks a schema whose older or sloppier forms are put right by `before` when read. Returns the same schema. */
export function withReadRepair<Schema extends z.ZodType>(schema: Schema, before: Repair): Schema {
  readers.add(schema, { before });
  return schema;
}

/**
 * When read, a word of a later version counts as the `neutral` one: it must not hide all of the event from the model and from
 * those who watch it. What has no neutral word is read as it is written here, or not at all. Returns the same schema.
 */
export function withFallback<Words extends z.ZodEnum>(words: Words, neutral: z.output<Words>): Words {
  const known = new Set<unknown>(words.options);
  return withReadRepair(words, (raw) => (typeof raw === 'string' && !known.has(raw) ? neutral : raw));
}

/**
 * Reads JSON values with the {@link lenient} twin of a strict schema. A value that already {@link conforms} is given back as
 * it is, not copied. Nothing is derived before the first value comes.
 */
export function lenientReader<Schema extends z.ZodType>(
  schema: Schema,
): (json: unknown) => z.ZodSafeParseResult<z.output<Schema>> {
  let fits: ((json: unknown) => boolean) | undefined;
  let relaxed: z.ZodType | undefined;
  return (json) => {
    fits ??= conforms(schema);
    if (fits(json)) return { success: true, data: json as z.output<Schema> };
    relaxed ??= lenient(schema);
    return relaxed.safeParse(json) as z.ZodSafeParseResult<z.output<Schema>>;
  };
}

/**
 * The reading twin of a strict schema: unknown fields are kept, declared fields that are null count as absent, and
 * {@link withReadRepair} repairs run. Derived, so that no record is described twice.
 */
function lenient(schema: z.ZodType): z.ZodType {
  const relaxed = relax(schema);
  const before = readers.get(schema)?.before;
  return before ? z.preprocess(before, relaxed) : relaxed;
}

function relax(schema: z.ZodType): z.ZodType {
  if (schema instanceof z.ZodObject) return relaxObject(schema);
  if (schema instanceof z.ZodArray) return z.array(lenient(asType(schema.element)));
  if (schema instanceof z.ZodUnion) return z.union(schema.options.map((option) => lenient(asType(option))));
  if (schema instanceof z.ZodRecord) return z.record(z.string(), lenient(asType(schema.valueType)));
  if (schema instanceof z.ZodDefault) return lenient(asType(schema.unwrap())).default(schema.def.defaultValue);
  if (schema instanceof z.ZodOptional || schema instanceof z.ZodExactOptional) {
    return z.exactOptional(lenient(asType(schema.unwrap())));
  }
  return schema;
}

function relaxObject(schema: z.ZodObject): z.ZodType {
  const shape = Object.fromEntries(Object.entries(schema.shape).map(([key, field]) => [key, lenient(asType(field))]));
  const nullable = Object.entries(schema.shape).flatMap(([key, field]) => (acceptsAbsence(field) ? [key] : []));
  return z.preprocess((raw) => withoutNulls(raw, nullable), z.looseObject(shape));
}

function acceptsAbsence(field: unknown): boolean {
  return field instanceof z.ZodOptional || field instanceof z.ZodExactOptional || field instanceof z.ZodDefault;
}

function withoutNulls(raw: unknown, keys: readonly string[]): unknown {
  if (typeof raw !== 'object' || raw === null) return raw;
  const record: Record<string, unknown> = { ...raw };
  for (const key of keys) if (record[key] === null) delete record[key];
  return record;
}

/** zod types the inside of a container as its core type; every schema here is made with the classic API. */
function asType(schema: unknown): z.ZodType {
  return schema as z.ZodType;
}
