import type { Json } from '@varve/events';
import { definePartKind, type PartKind, type SpecPath } from '@varve/events/specs';
import type { LanguageModel } from '@varve/llm';
import type * as z from 'zod';
import type { Condenser } from '../condenser.ts';

/** What the factory of a condenser may use. `position` is that of the spec within the options, for messages. */
export interface CondenserParts {
  /** Builds a condenser that is an option of another one. @throws {SpecError} */
  readonly condenser: (spec: Json, ...position: SpecPath) => Condenser;
  /** Builds the model of a condenser from its spec or, in a configuration, from its name. @throws {SpecError} */
  readonly model: (spec: Json, ...position: SpecPath) => LanguageModel;
}

/** Kind of condenser that specs and configurations name. Created by {@link defineCondenserKind}. */
export type CondenserKind = PartKind<Condenser, CondenserParts>;

/** Options of {@link defineCondenserKind}. */
export interface CondenserKindOptions<Options extends z.ZodObject> {
  /** Names of the same kind in configurations of other systems. */
  readonly aliases?: readonly string[];
  /** Returns the schema of the options; called on first use. */
  readonly options: () => Options;
  readonly create: (options: z.output<Options>, parts: CondenserParts) => Condenser;
}

/** Defines a kind of condenser: its name in specs, the schema of its options, and its factory. */
export function defineCondenserKind<Options extends z.ZodObject>(
  kind: string,
  { aliases = [], options, create }: CondenserKindOptions<Options>,
): CondenserKind {
  return definePartKind({ kind, aliases, options, create });
}
