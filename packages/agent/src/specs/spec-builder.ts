import type { Condenser } from '@varve/condensers';
import type { Json } from '@varve/events';
import { buildPart, SpecError, type SpecPath, type SpecProblem } from '@varve/events/specs';
import { type LanguageModel, isLitellmSpec, specFromLitellm } from '@varve/llm';
import type { AgentRegistries, SpecContext } from './agent-registries.ts';

/** Returns what builds the nested parts of an agent. Options that a part does not have are reported. */
export function specBuilder(registries: AgentRegistries, onIgnored: (problem: SpecProblem) => void) {
  const contextAt = (inner: SpecPath): SpecContext => ({
    model: (spec, ...position) => builder.model(spec, [...inner, ...position]),
    condenser: (spec, ...position) => builder.condenser(spec, [...inner, ...position]),
  });
  const builder = {
    /** Builds a model from its spec, or from the reference's description of it. @throws {SpecError} */
    model(spec: Json, path: SpecPath): LanguageModel {
      const ignored = (problem: SpecProblem): void => onIgnored({ ...problem, path: joined(path, problem.path) });
      const ownSpec = isLitellmSpec(spec) ? withPath(path, () => specFromLitellm(spec, ignored)) : spec;
      return buildPart(ownSpec, { registry: registries.models, path, contextAt, onIgnored });
    },
    /** Builds a condenser. @throws {SpecError} */
    condenser: (spec: Json, path: SpecPath): Condenser =>
      buildPart(spec, { registry: registries.condensers, path, contextAt, onIgnored }),
  };
  return builder;
}

/** Adds the position of a part to a problem inside of it. */
function withPath<Result>(path: SpecPath, make: () => Result): Result {
  try {
    return make();
  } catch (error) {
    if (!(error instanceof SpecError)) throw error;
    throw new SpecError({ ...error.problem, path: joined(path, error.problem.path) }, { cause: error });
  }
}

function joined(path: SpecPath, inner: string): string {
  return [...path, ...(inner === '' ? [] : [inner])].join('.');
}
