import type { Json } from '@varve/events';
import type { LanguageModel } from '@varve/llm';
import type { Condenser } from '../condenser.ts';
import { CondenserError } from '../error.ts';
import { condenserKinds } from './condenser-kinds.ts';
import type { CondenserKind } from './condenser-kind.ts';

/** Options of {@link condenserFromSpec}. */
export interface CondenserFromSpecOptions {
  /** Known kinds; default `condenserKinds`. The first with a name wins. */
  readonly kinds?: readonly CondenserKind[];
  /** Builds the model of a condenser from its spec or name. Default: a condenser with a model of its own is invalid. */
  readonly model?: (spec: Json) => LanguageModel;
}

/** Condensers may contain condensers; deeper specs are invalid. */
const maxDepth = 8;

/**
 * Builds a condenser from a spec: `kind` and options. The spec of the result equals the given one, apart from defaults
 * and alternative names.
 *
 * @throws {CondenserError} `invalid` for an unknown kind or for options that it does not accept.
 */
export function condenserFromSpec(spec: Json, options: CondenserFromSpecOptions = {}): Condenser {
  return build(spec, options, 0);
}

function build(spec: Json, options: CondenserFromSpecOptions, depth: number): Condenser {
  const { kinds = condenserKinds, model = noModel } = options;
  if (typeof spec !== 'object' || spec === null || Array.isArray(spec) || depth > maxDepth) {
    throw new CondenserError('invalid', `A condenser is an object with a kind, at most ${maxDepth} levels deep.`);
  }
  const { kind: name, ...rest } = spec as Readonly<Record<string, Json>>;
  const found = kinds.find(({ kind, aliases }) => kind === name || aliases.some((alias) => alias === name));
  if (!found) {
    const known = kinds.map(({ kind }) => kind).join(', ');
    throw new CondenserError('invalid', `The condenser kind ${JSON.stringify(name)} is not one of ${known}.`);
  }
  return found.create(rest, { model, condenser: (inner) => build(inner, options, depth + 1) });
}

function noModel(spec: Json): never {
  throw new CondenserError('invalid', `The model ${JSON.stringify(spec)} of a condenser cannot be built here.`);
}
