import { lazy, type Json } from '@varve/events';
import { buildPart, SpecError } from '@varve/events/specs';
import { modelParameters } from '@varve/llm';
import { withoutUndefined } from '@varve/text';
import * as z from 'zod';
import type { AgentOptions } from '../agent/agent.ts';
import { confirmationFromSpec } from '../confirmation/confirmation-from-spec.ts';
import type { AgentRegistries } from './agent-registries.ts';
import { type JsonObject, type MissingPart, type PartReader, partReader } from './part-reader.ts';
import { specBuilder } from './spec-builder.ts';
import { toolset, type NamedTool, type Toolset } from '../agent/toolset.ts';

const count = lazy(() => z.exactOptional(z.int().positive()));
const budgetFields = lazy(() =>
  z.strictObject({
    maxIterations: count(),
    maxCostUsd: z.exactOptional(z.number().positive()),
    maxTokens: count(),
    maxCalls: count(),
    maxMs: z.exactOptional(
      z
        .int()
        .positive()
        .max(2 ** 31 - 1),
    ),
  }),
);
const replies = lazy(() => z.exactOptional(z.int().min(2)));
const stuckFields = lazy(() =>
  z.union([
    z.literal('never'),
    z.object({
      repeatedResults: replies(),
      repeatedErrors: replies(),
      alternating: replies(),
      monologue: replies(),
      overflows: replies(),
      window: z.exactOptional(z.enum(['user-message', 'conversation'])),
      outputs: z.exactOptional(z.enum(['compared', 'exit-codes'])),
    }),
  ]),
);
const textReplies = lazy(() => z.enum(['finish', 'wait', 'continue']));
const toolFields = lazy(
  () =>
    z.array(z.object({ name: z.string(), params: z.record(z.string(), z.json()).default({}) })) satisfies z.ZodType<
      readonly NamedTool[]
    >,
);

/** Fields of the spec of an agent that are read here. */
const knownFields = new Set([
  'kind',
  'model',
  'condenser',
  'tools',
  'prompt',
  'confirmation_policy',
  'security_analyzer',
  'parameters',
  'budget',
  'tool_concurrency_limit',
  'text_reply',
  'stuck',
]);

const ignoredReasons: Readonly<Record<string, string>> & { readonly other: string } = {
  hooks: 'commands in a log are not run.',
  sub_agents: 'a log contains only their names.',
  other: 'this field is not known, and is ignored.',
};

/** Options of {@link agentParts}. */
export interface AgentPartsOptions {
  readonly registries: AgentRegistries;
  /** Names of the options that the caller replaces. */
  readonly replaced: ReadonlySet<string>;
  /** Receives what could not be rebuilt. */
  readonly missing: MissingPart[];
}

/** Returns the parts of a stored agent that can be rebuilt, and reports the others. */
export function agentParts(stored: JsonObject, options: AgentPartsOptions): Partial<AgentOptions> {
  const { registries, replaced, missing } = options;
  const reader = partReader(stored, replaced, missing);
  const isReplaced = (field: string): boolean => replaced.has(field === 'sub_agents' ? 'subAgents' : field);
  for (const field of Object.keys(stored).filter((name) => !knownFields.has(name) && !isReplaced(name))) {
    reader.ignored({ path: field, kind: 'Agent', reason: ignoredReasons[field] ?? ignoredReasons.other });
  }
  return withoutUndefined({ ...builtParts(reader, stored, registries), ...plainParts(reader) });
}

function builtParts(reader: PartReader, stored: JsonObject, registries: AgentRegistries): Partial<AgentOptions> {
  const builder = specBuilder(registries, reader.ignored);
  const promptOptions = { registry: registries.prompts, path: ['prompt'], contextAt: () => ({}) };
  const { security_analyzer: analyzer } = stored;
  return withoutUndefined({
    model: reader.read({ option: 'model', field: 'model', isEssential: true }, (spec) =>
      builder.model(spec, ['model']),
    ),
    condenser: reader.read({ option: 'condenser', field: 'condenser' }, (spec) => {
      return builder.condenser(spec, ['condenser']);
    }),
    tools: reader.read({ option: 'tools', field: 'tools', isEssential: true }, (spec) =>
      storedTools(spec, registries, reader),
    ),
    prompt: reader.read({ option: 'prompt', field: 'prompt' }, (spec) => {
      return buildPart(spec, { ...promptOptions, onIgnored: reader.ignored });
    }),
    confirmation: reader.read({ option: 'confirmation', field: 'confirmation_policy', isEssential: true }, (spec) =>
      confirmationFromSpec(spec, analyzer, registries),
    ),
  });
}

/** Returns the tools that the registry has; the others are reported one by one. */
function storedTools(spec: Json, { tools: registry }: AgentRegistries, reader: PartReader): Toolset {
  const named = reader.checked(toolFields(), spec, 'tools');
  const known = named.filter((tool, index) => {
    try {
      toolset([tool], registry);
      return true;
    } catch (error) {
      if (!(error instanceof SpecError)) throw error;
      const path = error.problem.path.replace(/^tools\.0/, `tools.${index}`);
      reader.ignored({ ...error.problem, path });
      return false;
    }
  });
  return toolset(known, registry, { onIgnored: reader.ignored });
}

function plainParts(reader: PartReader): Partial<AgentOptions> {
  return withoutUndefined({
    budget: reader.value({ option: 'budget', field: 'budget', isEssential: true }, budgetFields()),
    parameters: reader.value({ option: 'parameters', field: 'parameters' }, modelParameters()),
    concurrency: reader.value({ option: 'concurrency', field: 'tool_concurrency_limit' }, z.int().positive()),
    textReply: reader.value({ option: 'textReply', field: 'text_reply' }, textReplies()),
    stuck: reader.value({ option: 'stuck', field: 'stuck' }, stuckFields()),
  });
}
