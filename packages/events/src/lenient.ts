import * as z from 'zod';
import { asType, conforms } from './conforms.ts';

type Repair = (raw: unknown) => unknown;

/** Repairs of raw values before they are read. Only {@link lenient} uses them, so creating stays strict. */
const readers = z.registry<{ readonly before: Repair }>();

/** Registers a repair of older and non-standard forms, which runs when values are read. Returns the same schema. */
export function withReadRepair<Schema extends z.ZodType>(schema: Schema, before: Repair): Schema {
  readers.add(schema, { before });
  return schema;
}

/**
 * Replaces unknown values of an enum by `fallback` when they are read, so that a value of a later version does not make
 * the whole event unreadable. An event with an unknown value of any other enum is not typed. Returns the same schema.
 */
export function withFallback<Words extends z.ZodEnum>(words: Words, neutral: z.output<Words>): Words {
  const known = new Set<unknown>(words.options);
  return withReadRepair(words, (raw) => (typeof raw === 'string' && !known.has(raw) ? neutral : raw));
}

/**
 * Creates a reader of JSON values from the {@link lenient} variant of a strict schema. A value that already {@link
 * conforms} is returned as it is, without a copy. Schema and variant are built on first use.
 */
export function lenientReader<Schema extends z.ZodType>(
  schema: () => Schema,
): (json: unknown) => z.ZodSafeParseResult<z.output<Schema>> {
  let fits: ((json: unknown) => boolean) | undefined;
  let relaxed: z.ZodType | undefined;
  return (json) => {
    fits ??= conforms(schema());
    if (fits(json)) return { success: true, data: json as z.output<Schema> };
    relaxed ??= lenient(schema());
    return relaxed.safeParse(json) as z.ZodSafeParseResult<z.output<Schema>>;
  };
}

/**
 * Derives the reading variant of a strict schema: unknown fields are kept, declared fields that are null count as
 * absent, and repairs of {@link withReadRepair} run.
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
