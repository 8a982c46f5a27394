import { ensembleRisk, modelRisk, shellRisk, workspaceRisk, type RiskAnalyzer } from '@varve/agent/confirmation';
import type { AgentRegistries } from '@varve/agent/specs';
import { llmSummary, type Condenser, type CondenserParts } from '@varve/condensers';
import { definePartKind } from '@varve/events/specs';
import * as z from 'zod';
import { lazy } from '@varve/events';

const size = lazy(() => z.int().positive().nullish());

const summary = definePartKind({
  kind: 'LLMSummarizingCondenser',
  options: () =>
    z.object({
      llm: z.json(),
      max_size: size(),
      max_tokens: size(),
      keep_first: z.int().nonnegative().nullish(),
      // Sizes of the last attempts, which depend on the window of the model here.
      minimum_progress: z.unknown().optional(),
      hard_context_reset_max_retries: z.unknown().optional(),
      hard_context_reset_context_scaling: z.unknown().optional(),
    }),
  create: (
    { llm, max_size: maxEvents, max_tokens: maxTokens, keep_first: keepFirst },
    parts: CondenserParts,
  ): Condenser =>
    llmSummary({
      model: parts.model(llm),
      maxEvents: maxEvents ?? 240,
      ...(typeof maxTokens === 'number' && { maxTokens }),
      ...(typeof keepFirst === 'number' && { keepFirst }),
    }),
});
const patterns = ['PatternSecurityAnalyzer', 'PolicyRailSecurityAnalyzer'].map((kind) =>
  definePartKind({ kind, options: () => z.object({}), create: (): RiskAnalyzer => shellRisk() }),
);
const rated = definePartKind({
  kind: 'LLMSecurityAnalyzer',
  options: () => z.object({}),
  create: (): RiskAnalyzer => ({
    ...ensembleRisk([modelRisk(), shellRisk(), workspaceRisk()]),
    spec: modelRisk().spec,
  }),
});

/**
 * Kinds of the reference that varve has under other names. An analyzer of patterns becomes the one that parses shell
 * commands, which finds at least as much. A front end that asks sends the analyzer of the model's own ratings: those
 * of varve join it, because a model may rate anything LOW.
 *
 * @see software-agent-sdk LLMSummarizingCondenser, PatternSecurityAnalyzer, PolicyRailSecurityAnalyzer
 */
export function withReferenceKinds(registries: AgentRegistries): AgentRegistries {
  return {
    ...registries,
    condensers: [...registries.condensers, summary],
    analyzers: [...registries.analyzers.filter(({ kind }) => kind !== rated.kind), rated, ...patterns],
  };
}
