import { textOf } from '@varve/events';
import * as z from 'zod';
import type { Condenser } from './condenser.ts';
import { defineCondenserKind } from './registry/condenser-kind.ts';
import { summarising, summarisingOptions, type SummarisingOptions } from './summaries/summarising.ts';
import type { SummaryTask } from './summaries/summary-request.ts';

const task: SummaryTask = {
  instruction: `Write a summary from which the agent can continue as if it had read everything, in at most 1,500 words of Markdown. Use these sections and leave out empty ones:
## Goals
What the user asked for, with every constraint, preference and later correction; important words literally.
## Decisions
What was decided and why, also what was ruled out. Mark plans that are settled, so that they are not made again.
## Done
Completed work and its results.
## Failures
Commands and approaches that failed, with the decisive part of the error, so that they are not tried again.
## Files
Paths that were created, changed or read, each with what matters: signatures, structure, line numbers.
## Facts
Exact values that may be needed: names, ids, numbers, addresses, versions, settings, messages.
## Tasks
Every entry of the task list with its exact id, title and status.
## State
Failing and passing tests, version control (branch, commits, uncommitted changes), running programs.
## Next step
The one concrete action that comes next.
Do not invent anything and do not continue the work. Answer with the summary only.`,
};

/**
 * Creates a condenser whose model writes a summary of the earlier events, with goals, decisions, failures, files, facts
 * and the next step. Earlier summaries are updated. Without limits it acts at 70 % of the window of the model in use.
 *
 * @throws {CondenserError} `invalid` for numbers out of range.
 * @see software-agent-sdk LLMSummarizingCondenser, whose model reads excerpts without the arguments of calls
 */
export function llmSummary(options: SummarisingOptions = {}): Condenser {
  return summarising('llm-summary', options, { task, textOf: ({ message }) => textOf(message.content) });
}

/** Spec of {@link llmSummary}. */
export const llmSummaryKind = defineCondenserKind('llm-summary', {
  aliases: ['llm'],
  options: () => z.object(summarisingOptions()),
  create: ({ model, ...options }, parts) =>
    llmSummary({ ...options, ...(model !== undefined && { model: parts.model(model) }) }),
});
