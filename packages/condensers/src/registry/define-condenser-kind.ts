import * as z from 'zod';
import type { Condenser } from '../condenser.ts';
import { CondenserError } from '../error.ts';
import type { CondenserKind, CondenserParts } from './condenser-kind.ts';

/** Options of {@link defineCondenserKind}. */
export interface CondenserKindOptions<Shape extends z.ZodRawShape> {
  readonly aliases?: readonly string[];
  readonly options: z.ZodObject<Shape>;
  readonly create: (options: z.output<z.ZodObject<Shape>>, parts: CondenserParts) => Condenser;
}

/** Defines a kind of condenser: its name in specs, the schema of its options, and its factory. */
export function defineCondenserKind<Shape extends z.ZodRawShape>(
  kind: string,
  { aliases = [], options, create }: CondenserKindOptions<Shape>,
): CondenserKind {
  return {
    kind,
    aliases,
    options,
    create(given, parts) {
      const result = options.safeParse(given);
      if (!result.success) {
        throw new CondenserError('invalid', `The condenser ${kind} is not valid: ${z.prettifyError(result.error)}`);
      }
      return create(result.data, parts);
    },
  };
}
