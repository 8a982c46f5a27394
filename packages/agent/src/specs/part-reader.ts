import type { Json } from '@varve/events';
import { optionProblem, SpecError, type SpecProblem } from '@varve/events/specs';
import type * as z from 'zod';
import type { AgentOptions } from '../agent/agent.ts';

/** A part of a stored agent that was not rebuilt. */
export interface MissingPart extends SpecProblem {
  /** Without it, the agent would not work, or would do more than the stored one: none is returned. */
  readonly isEssential: boolean;
}

/** Where a part is stored. */
interface PartPlace {
  /** Option of the agent: one that the caller replaced is not read. */
  readonly option: keyof AgentOptions;
  readonly field: string;
  readonly isEssential?: boolean;
}

/** Returns what reads the fields of a stored agent, and adds what could not be rebuilt to `missing`. */
export function partReader(stored: JsonObject, replaced: ReadonlySet<string>, missing: MissingPart[]) {
  const reader = {
    /** Returns what `make` makes of a field; undefined for an absent one, and for one that is reported as missing. */
    read<Part>({ option, field, isEssential = false }: PartPlace, make: (spec: Json) => Part): Part | undefined {
      const spec = stored[field];
      // An agent may have no tools.
      if (replaced.has(option) || (isUnset(spec) && !Array.isArray(spec))) return undefined;
      try {
        return make(spec ?? null);
      } catch (error) {
        if (!(error instanceof SpecError)) throw error;
        missing.push({ ...error.problem, isEssential });
        return undefined;
      }
    },
    /** Returns the value of a field that matches a schema. */
    value: <Schema extends z.ZodType>(place: PartPlace, schema: Schema): z.output<Schema> | undefined =>
      reader.read(place, (spec) => reader.checked(schema, spec, place.field)),
    /** Returns a value that matches a schema. @throws {SpecError} naming the first field that does not. */
    checked<Schema extends z.ZodType>(schema: Schema, spec: Json, field: string): z.output<Schema> {
      const { success, data, error } = schema.safeParse(spec);
      if (success) return data;
      throw new SpecError({ kind: 'Agent', ...optionProblem(spec, error, [field]) });
    },
    /** Reports something that the agent can do without. */
    ignored: (problem: SpecProblem): void => void missing.push({ ...problem, isEssential: false }),
  };
  return reader;
}
export type PartReader = ReturnType<typeof partReader>;

/** JSON object whose fields are not known. */
export type JsonObject = Readonly<Record<string, Json>>;

/** Returns a value that is an object, else undefined. */
export function objectOf(value: Json | undefined): JsonObject | undefined {
  const isObject = typeof value === 'object' && value !== null && !Array.isArray(value);
  return isObject ? (value as JsonObject) : undefined;
}

/** Returns whether a field means the same as if it were absent. */
export function isUnset(value: Json | undefined): boolean {
  if (value === undefined || value === null || value === '') return true;
  return typeof value === 'object' && Object.keys(value).length === 0;
}
