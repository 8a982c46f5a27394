import { condenserKinds, type Condenser, type CondenserParts } from '@varve/condensers';
import type { Registry, SpecPath } from '@varve/events/specs';
import type { Json } from '@varve/events';
import { type LanguageModel, modelKinds, type ModelContext, type ModelKindsOptions } from '@varve/llm';
import { toolKinds } from '@varve/tools';
import { confirmationKinds } from '../confirmation/confirmation-kinds.ts';
import type { ConfirmationRegistries } from '../confirmation/confirmation-from-spec.ts';
import { delegationKinds } from '../delegation-tools/delegation-kinds.ts';
import type { Prompt } from '../prompt/prompt.ts';
import { promptKinds, type PresetPromptOptions } from '../prompt/preset-prompt.ts';
import { riskKinds, type RiskKindsOptions } from '../risk/risk-kinds.ts';
import type { ToolRegistry } from '../agent/toolset.ts';

/** Context in which the parts of an agent are rebuilt: it builds the parts inside of them. */
export interface SpecContext extends ModelContext, CondenserParts {
  readonly model: (spec: Json, ...position: SpecPath) => LanguageModel;
  readonly condenser: (spec: Json, ...position: SpecPath) => Condenser;
}

/**
 * Kinds of parts of which agents are rebuilt. Each is a plain list; an application adds its own:
 * `{ ...registries, condensers: [...registries.condensers, mine] }`.
 */
export interface AgentRegistries extends ConfirmationRegistries {
  readonly models: Registry<LanguageModel, SpecContext>;
  readonly condensers: Registry<Condenser, SpecContext>;
  readonly tools: ToolRegistry;
  readonly prompts: Registry<Prompt, object>;
}

/** Options of {@link agentRegistries}: what specs do not contain. */
export interface AgentRegistriesOptions {
  /** Credentials of models, and what their adapters and wrappers call. */
  readonly models?: ModelKindsOptions;
  /** Options of tools that belong to this machine, for one conversation. */
  readonly tools?: Parameters<typeof toolKinds>[0];
  /** Rules of the application in stored analyzers. */
  readonly risk?: RiskKindsOptions;
  /** Sections of a prompt that are not in its spec. Used only for a conversation that has no prompt yet. */
  readonly prompt?: Omit<PresetPromptOptions, 'suffix'>;
}

/** Returns the kinds of the varve packages. */
export function agentRegistries(options: AgentRegistriesOptions = {}): AgentRegistries {
  return {
    models: modelKinds(options.models),
    condensers: condenserKinds,
    tools: [...toolKinds(options.tools), ...delegationKinds],
    confirmations: confirmationKinds,
    analyzers: riskKinds(options.risk),
    prompts: promptKinds(options.prompt),
  };
}
