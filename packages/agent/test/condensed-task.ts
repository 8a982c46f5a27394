import { text, textOf } from '@varve/events';
import { checkMessages } from '@varve/events/projections';
import { estimateRequest, LlmError, type LanguageModel, type ModelReply, type ModelRequest } from '@varve/llm';
import type { Condenser } from '@varve/condensers';
import { memoryStore } from '@varve/storage';
import { defineTool, finish, type Tool } from '@varve/tools';
import * as z from 'zod';
import { defineAgent } from '../src/agent/agent.ts';
import { Conversation } from '../src/conversation/conversation.ts';

/** Options of {@link runCondensedTask}. */
export interface CondensedTaskOptions {
  readonly condenser: Condenser;
  /** Number of tool calls before the agent finishes. */
  readonly steps: number;
  /** Tokens of the model's context window. */
  readonly contextWindow: number;
}

/** What happened in a task. */
export interface CondensedTask {
  readonly reason: string;
  /** Tokens of the largest request that the model accepted, as its server counts them. */
  readonly largest: number;
  readonly overflows: number;
  /** Problems in the messages of requests of the agent, which a strict provider would reject. */
  readonly problems: readonly string[];
  /** Facts that the last request still contains. */
  readonly knownFacts: readonly string[];
  /** Number of stored condensations and masks. */
  readonly condensations: number;
}

/** Facts in the first message, in an early result, and in an argument of an early call. */
export const facts = ['FACT-A1=harbour', 'FACT-B2=4711', 'FACT-C3=/srv/data'] as const;

/** The server counts more tokens than the estimate. */
const countFactor = 1.2;

/**
 * Runs a long task with a model that rejects what exceeds its window, and whose summaries repeat the facts that they
 * read: what is known at the end is what the condenser preserved.
 */
export async function runCondensedTask({
  condenser,
  steps,
  contextWindow,
}: CondensedTaskOptions): Promise<CondensedTask> {
  const record: TaskRecord = { largest: 0, overflows: 0, problems: [] };
  const model = taskModel({ steps, contextWindow }, record);
  await using store = memoryStore();
  const agent = defineAgent({
    model,
    tools: () => [lookup(), finish()],
    condenser,
    budget: { maxIterations: steps * 2 },
  });
  await using conversation = await Conversation.create({ agent, store, workspace: process.cwd() });
  await conversation.send(`Look up everything. Remember ${facts[0]}.`);
  const { reason } = await conversation.run();
  let condensations = 0;
  for await (const { event } of conversation.events()) {
    if (event.kind === 'Condensation' || ('key' in event && event.key === 'varve.mask')) condensations++;
  }
  const { largest, overflows, problems } = record;
  const last = JSON.stringify(record.last?.messages);
  return {
    reason,
    largest,
    overflows,
    problems,
    condensations,
    knownFacts: facts.filter((fact) => last.includes(fact)),
  };
}

/** Results of 40 to 4,000 characters; the second one contains a fact. */
function lookup(): Tool {
  return defineTool({
    name: 'lookup',
    description: 'Looks up a topic.',
    input: z.object({ topic: z.string(), number: z.number() }),
    effect: 'read',
    execute: async ({ number }) =>
      `${number === 1 ? facts[1] : ''} ${`line ${number} of text\n`.repeat(2 + ((number * 37) % 200))}`,
  });
}

interface TaskRecord {
  largest: number;
  overflows: number;
  readonly problems: string[];
  /** Last request of the agent. */
  last?: ModelRequest;
}

function taskModel(
  { steps, contextWindow }: Omit<CondensedTaskOptions, 'condenser'>,
  record: TaskRecord,
): LanguageModel {
  let [call, step] = [0, 0];
  return {
    spec: { kind: 'task' },
    name: 'task',
    capabilities: { functionCalling: true, vision: false, streaming: false, contextWindow },
    async generate(request) {
      const tokens = Math.ceil(estimateRequest(request) * countFactor);
      if (tokens > contextWindow) {
        record.overflows++;
        throw new LlmError('context-overflow', `${tokens} tokens do not fit.`);
      }
      record.largest = Math.max(record.largest, tokens);
      const id = `reply-${++call}`;
      if (isForCondenser(request)) return replyOf(id, tokens, condenserAnswer(request));
      // Strict and slow, so that a sample is checked.
      if (call % 10 === 0)
        record.problems.push(...checkMessages(request.messages).map((problem) => JSON.stringify(problem)));
      record.last = request;
      return replyOf(id, tokens, nextCall(++step, steps));
    },
  };
}

function isForCondenser({ tools, messages: [first] }: ModelRequest): boolean {
  return tools.every(({ name }) => name !== 'finish') && textOf(first?.content ?? []).includes('<events>');
}

type Answer = string | { readonly name: string; readonly arguments: object };

/** A summary of what the request shows. */
function condenserAnswer({ tools, messages: [first] }: ModelRequest): Answer {
  const prompt = textOf(first?.content ?? []);
  const kept = facts.filter((fact) => prompt.includes(fact)).join(' ');
  const [tool] = tools;
  if (!tool) return `## Goals\nLook up everything.\n## Facts\n${kept}\n## Next step\nContinue.`;
  if (tool.name === 'record_state') {
    return { name: tool.name, arguments: { user_context: 'Look up everything.', other_relevant_context: kept } };
  }
  const ranked = prompt.split('\n').filter((line) => facts.some((fact) => line.includes(fact)));
  return { name: tool.name, arguments: { ids: ranked.flatMap((line) => /^\{"id":"(e\d+)"/.exec(line)?.[1] ?? []) } };
}

function nextCall(number: number, steps: number): Answer {
  if (number > steps) return { name: 'finish', arguments: { message: 'All is looked up.' } };
  return { name: 'lookup', arguments: { topic: number === 2 ? facts[2] : `topic ${number}`, number } };
}

function replyOf(id: string, tokens: number, answer: Answer): ModelReply {
  const call = typeof answer === 'string' ? undefined : answer;
  const tool_calls = call && [
    { id: `${id}-call`, name: call.name, arguments: JSON.stringify(call.arguments), origin: 'completion' as const },
  ];
  return {
    id,
    model: 'task',
    message: {
      role: 'assistant',
      content: typeof answer === 'string' ? [text(answer)] : [],
      thinking_blocks: [],
      ...(tool_calls && { tool_calls }),
    },
    finish: call ? 'tool-calls' : 'stop',
    usage: {
      input_tokens: tokens,
      output_tokens: 20,
      cache_read_tokens: 0,
      cache_write_tokens: 0,
      reasoning_tokens: 0,
    },
    latencyMs: 1,
    attempts: 1,
  };
}
