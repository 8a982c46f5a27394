import type { Json } from '@varve/events';
import type { LanguageModel } from '@varve/llm';
import type * as z from 'zod';
import type { Condenser } from '../condenser.ts';

/** What the factory of a condenser may use. */
export interface CondenserParts {
  /** Builds a condenser that is an option of another one. @throws as `condenserFromSpec` does. */
  readonly condenser: (spec: Json) => Condenser;
  /** Builds the model of a condenser from its spec or, in a configuration, from its name. */
  readonly model: (spec: Json) => LanguageModel;
}

/** Kind of condenser that specs and configurations name. Created by {@link defineCondenserKind}. */
export interface CondenserKind {
  /** `kind` of its specs. */
  readonly kind: string;
  /** Names of the same kind in configurations of other systems. */
  readonly aliases: readonly string[];
  /** Schema of a spec without `kind`. */
  readonly options: z.ZodObject;
  /** @throws {CondenserError} `invalid` for options that do not match the schema or contradict each other. */
  create(options: unknown, parts: CondenserParts): Condenser;
}
