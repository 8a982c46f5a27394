import type { Condenser } from '@varve/condensers';
import type { Json } from '@varve/events';
import { buildPart, SpecError, type SpecPath, type SpecProblem } from '@varve/events/specs';
import { type LanguageModel, isLitellmSpec, specFromLitellm } from '@varve/llm';
import type { AgentRegistries, SpecContext } from './agent-registries.ts';

/** Builds the nested parts of an agent. Options that a part does not have are reported. */
export class SpecBuilder {
  readonly #registries: AgentRegistries;
  readonly #onIgnored: (problem: SpecProblem) => void;

  constructor(registries: AgentRegistries, onIgnored: (problem: SpecProblem) => void) {
    this.#registries = registries;
    this.#onIgnored = onIgnored;
  }

  /** Builds a model from its spec, or from the reference's description of it. @throws {SpecError} */
  model(spec: Json, path: SpecPath): LanguageModel {
    const options = this.#optionsAt(path, this.#registries.models);
    if (!isLitellmSpec(spec)) return buildPart(spec, options);
    return buildPart(
      withPath(path, () =>
        specFromLitellm(spec, (problem) => this.#onIgnored({ ...problem, path: joined(path, problem.path) })),
      ),
      options,
    );
  }

  /** Builds a condenser. @throws {SpecError} */
  condenser(spec: Json, path: SpecPath): Condenser {
    return buildPart(spec, this.#optionsAt(path, this.#registries.condensers));
  }

  #optionsAt<Kinds>(path: SpecPath, registry: Kinds) {
    const contextAt = (inner: SpecPath): SpecContext => ({
      model: (spec, ...position) => this.model(spec, [...inner, ...position]),
      condenser: (spec, ...position) => this.condenser(spec, [...inner, ...position]),
    });
    return { registry, path, contextAt, onIgnored: this.#onIgnored };
  }
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
