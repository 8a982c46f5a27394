import type { ModelReply, ToolSpec } from '@varve/llm';
import { modelJsonLimits, parseJson } from '@varve/text';
import * as z from 'zod';
import { lazy } from '@varve/events';
import type { Condenser } from './condenser.ts';
import { CondenserError } from './error.ts';
import { defineCondenserKind } from './registry/condenser-kind.ts';
import { summarising, summarisingOptions, type SummarisingOptions } from './summaries/summarising.ts';

/** Fields of a structured summary and what they contain. @see OpenHands V0 StateSummary, with the same names */
const fields = {
  user_context: 'What the user asked for, with all constraints and corrections.',
  completed_tasks: 'Tasks that are done, with their ids and results.',
  pending_tasks: 'Tasks that are not done, with their ids and statuses.',
  current_state: 'State of variables, data and running programs.',
  decisions: 'Decisions and their reasons, also what was ruled out.',
  failed_attempts: 'Commands and approaches that failed, and why.',
  next_step: 'The one concrete action that comes next.',
  files_modified: 'Paths that were created or changed, and how.',
  function_changes: 'Functions that were added or changed, with signatures.',
  data_structures: 'Important types and schemas.',
  tests_written: 'Tests that were added.',
  tests_passing: 'Tests that pass.',
  failing_tests: 'Tests that fail, and how.',
  error_messages: 'Errors that matter, literally.',
  branch_name: 'Branch of version control.',
  commits_made: 'Commits, with ids.',
  pr_status: 'Pull request and its status.',
  dependencies: 'Packages that were added or are required.',
  other_relevant_context: 'Exact values and everything else that may be needed.',
} as const;

const required = ['user_context', 'completed_tasks', 'pending_tasks'] as const;

const tool: ToolSpec = {
  name: 'record_state',
  description: 'Records the state of the conversation, so that the agent can continue without the events.',
  parameters: {
    type: 'object',
    properties: Object.fromEntries(
      Object.entries(fields).map(([name, description]) => [name, { type: 'string', description }]),
    ),
    required: [...required],
  },
};

const task = {
  tool,
  instruction:
    'Call record_state once, with everything that the agent needs to continue as if it had read all events. Do not invent anything and do not continue the work.',
};

const state = lazy(() => z.record(z.string(), z.unknown()));

/**
 * Creates a condenser whose model fills in a form about the earlier events, by a call of a tool. Otherwise as
 * `llmSummary`.
 *
 * @throws {CondenserError} `invalid` for numbers out of range.
 * @see OpenHands V0 StructuredSummaryCondenser, whose summary is empty when the call cannot be read
 */
export function structuredSummary(options: SummarisingOptions = {}): Condenser {
  return summarising('structured-summary', options, { task, textOf: formText });
}

/** Spec of {@link structuredSummary}. */
export const structuredSummaryKind = defineCondenserKind('structured-summary', {
  aliases: ['structured'],
  options: () => z.object(summarisingOptions()),
  create: ({ model, ...options }, parts) =>
    structuredSummary({ ...options, ...(model !== undefined && { model: parts.model(model) }) }),
});

/** Returns the filled fields as Markdown. @throws {CondenserError} `failed` for a reply without the required ones. */
function formText({ message }: ModelReply): string {
  const filled = state().safeParse(
    parseJson(message.tool_calls?.find(({ name }) => name === tool.name)?.arguments, modelJsonLimits),
  );
  const values = new Map(Object.entries(filled.data ?? {}).map(([name, value]) => [name, textValue(value)]));
  if (required.every((name) => !values.get(name))) {
    throw new CondenserError('failed', `The reply has no call of ${tool.name} with ${required.join(', ')}.`);
  }
  return Object.keys(fields)
    .flatMap((name) => {
      const value = values.get(name);
      return value ? [`## ${titleOf(name)}\n${value}`] : [];
    })
    .join('\n');
}

/** Some models write lists. */
function textValue(value: unknown): string {
  return (
    typeof value === 'string' ? value : value === null || value === undefined ? '' : JSON.stringify(value)
  ).trim();
}

function titleOf(name: string): string {
  const words = name.replaceAll('_', ' ');
  return words.charAt(0).toUpperCase() + words.slice(1);
}
