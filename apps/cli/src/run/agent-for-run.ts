import { join } from 'node:path';
import { alwaysConfirm, confirmRisky, defineAgent, neverConfirm, type Agent, type AgentOptions } from '@varve/agent';
import { ensembleRisk, modelRisk, shellRisk, workspaceRisk } from '@varve/agent/risk';
import { llmSummary } from '@varve/condensers';
import type { LanguageModel } from '@varve/llm';
import { defaultTools, type RunningProgram } from '@varve/tools';
import { storeUrl, varveHome } from '../setup/open-configured-store.ts';
import type { TerminalIo } from '../terminal/terminal-io.ts';
import type { RunOptions } from './run-options.ts';

const policies = {
  never: neverConfirm,
  always: alwaysConfirm,
  risky: () => confirmRisky({ analyzer: ensembleRisk([modelRisk(), shellRisk(), workspaceRisk()]) }),
};

/**
 * Limits of the view before its older part is summarised: the share of the model's window leaves room for the next
 * results. The number of events counts for models of unknown window, which may cut what is too long in silence.
 */
const viewLimits = { windowShare: 0.7, maxEvents: 1_000 };

/** Parts of the agent of `varve run`. */
export interface AgentParts {
  readonly model: LanguageModel;
  /** Parameters of the requests of a resumed conversation. */
  readonly parameters?: AgentOptions['parameters'];
  readonly signingKey?: NonNullable<AgentOptions['signingKey']>;
  /** Policy without `--confirm`; absent to use the stored one. */
  readonly defaultConfirm?: keyof typeof policies;
  /** Receives the programs of the agent that were ended with it. */
  readonly onEndedPrograms: (programs: readonly RunningProgram[]) => void;
}

/** Creates the agent of `varve run`. Policy and limits without an option are those stored with the conversation. */
export function agentForRun(
  { model, parameters, signingKey, defaultConfirm, onEndedPrograms }: AgentParts,
  { store, resume, confirm = defaultConfirm, maxSteps, env }: RunOptions,
  io: TerminalIo,
): Agent {
  const isKept = storeUrl(io, store) !== 'memory:';
  return defineAgent({
    model,
    tools: ({ conversationId, redactor }) =>
      defaultTools({
        redactor,
        terminal: {
          outputDir: join(varveHome(io), 'outputs', conversationId),
          inherit: io.env,
          inheritNames: env ?? [],
          onEndedPrograms,
        },
        // A conversation in memory cannot be resumed, so it needs no undo history on disk.
        ...(isKept && { fileEditor: { historyDir: join(varveHome(io), 'edits', conversationId) } }),
      }),
    condenser: llmSummary(viewLimits),
    ...(parameters && { parameters }),
    ...(signingKey && { signingKey }),
    ...(confirm && { confirmation: policies[confirm]() }),
    // Stored with a new conversation; with a resumed one it limits this run only, and the stored limits stay.
    ...(maxSteps !== undefined && resume === undefined && { budget: { maxIterations: maxSteps } }),
  });
}
