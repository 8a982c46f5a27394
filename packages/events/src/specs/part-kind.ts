import type * as z from 'zod';
import type { Json } from '../json.ts';
import { lazy } from '../lazy.ts';

/** Position of a part in the spec of an agent: names and indexes from the outside in. */
export type SpecPath = readonly (string | number)[];

/** Spec of one part: its kind and its options, without secrets. */
export type PartSpec = { readonly kind: string } & Readonly<Record<string, Json>>;

/**
 * A kind of part of an agent (model, condenser, tool, policy, …) that can be rebuilt from its spec. `Context` builds
 * the parts inside it.
 *
 * A package lists its kinds in one array, a {@link Registry}: a new part is one file, which calls
 * {@link definePartKind}, and one line in that array. An application adds its own kinds: `[...condenserKinds, myKind]`.
 */
export interface PartKind<Part, Context> {
  /** Value of `kind` in specs; unique in a registry. */
  readonly kind: string;
  /** Other values of `kind` for the same part, such as the class name of the reference. */
  readonly aliases?: readonly string[];
  /** Returns the schema of the options in the spec. Fields that it does not have are reported as ignored. */
  readonly options: () => z.ZodObject;
  /** Creates the part from checked options. May throw for options that its constructor rejects. */
  create(options: never, context: Context): Part;
}

/** Kinds of one sort of part. The last entry for a `kind` counts, so that an application can replace one. */
export type Registry<Part, Context> = readonly PartKind<Part, Context>[];

/** Options of {@link definePartKind}. */
export interface PartKindOptions<Options extends z.ZodObject, Part, Context> {
  readonly kind: string;
  readonly aliases?: readonly string[];
  /** Returns the schema of the options; called on first use. */
  readonly options: () => Options;
  create(options: z.output<Options>, context: Context): Part;
}

/** Returns a kind whose `create` receives what its `options` schema returns. */
export function definePartKind<Options extends z.ZodObject, Part, Context>(
  kind: PartKindOptions<Options, Part, Context>,
): PartKind<Part, Context> {
  return { ...kind, options: lazy(kind.options) };
}
