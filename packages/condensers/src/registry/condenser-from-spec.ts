import type { Json } from '@varve/events';
import { buildPart, describeProblem, SpecError, type SpecPath } from '@varve/events/specs';
import type { LanguageModel } from '@varve/llm';
import type { Condenser } from '../condenser.ts';
import { CondenserError } from '../error.ts';
import { condenserKinds } from './condenser-kinds.ts';
import type { CondenserKind, CondenserParts } from './condenser-kind.ts';

/** Options of {@link condenserFromSpec}. */
export interface CondenserFromSpecOptions {
  /** Known kinds; default `condenserKinds`. The last with a name counts. */
  readonly kinds?: readonly CondenserKind[];
  /** Builds the model of a condenser from its spec or name. Default: a condenser with a model of its own is invalid. */
  readonly model?: (spec: Json) => LanguageModel;
}

/**
 * Builds a condenser from a spec that a person wrote: `kind` and options, all of which must exist. The spec of the
 * result equals the given one, apart from defaults and alternative names. A stored agent is rebuilt by the same kinds,
 * where options that do not exist are reported instead.
 *
 * @throws {CondenserError} `invalid` for an unknown kind or for options that it does not accept.
 */
export function condenserFromSpec(spec: Json, options: CondenserFromSpecOptions = {}): Condenser {
  const { kinds: registry = condenserKinds, model = noModel } = options;
  const build = (inner: Json, path: SpecPath): Condenser =>
    buildPart(inner, {
      registry,
      path,
      contextAt: (at): CondenserParts => ({
        model: (modelSpec) => model(modelSpec),
        condenser: (condenserSpec, ...position) => build(condenserSpec, [...at, ...position]),
      }),
      onIgnored: (problem) => {
        throw new SpecError(problem);
      },
    });
  try {
    return build(spec, []);
  } catch (error) {
    if (!(error instanceof SpecError)) throw error;
    const { problem } = error;
    const known = registry.map(({ kind }) => kind).join(', ');
    const hint = registry.some(({ kind, aliases = [] }) => [kind, ...aliases].includes(problem.kind))
      ? ''
      : ` The kinds are: ${known}.`;
    throw new CondenserError('invalid', `${describeProblem(problem)}${hint}`, { cause: error });
  }
}

function noModel(spec: Json): never {
  throw new CondenserError('invalid', `The model ${JSON.stringify(spec)} of a condenser cannot be built here.`);
}
