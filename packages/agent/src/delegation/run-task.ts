import { MessageEvent } from '@varve/events/kinds';
import { textOf, type BaseEvent } from '@varve/events';
import { truncateMiddle } from '@varve/text';
import type { Agent } from '../agent/agent.ts';
import type { Limits } from '../budget/limits.ts';
import type { TaskRecord } from '../log/projections/tasks-projection.ts';
import type { TaskResult, AnswerWaitingChild, ReviewedConversation } from '../agent/sub-agent-tasks.ts';
import { finalAnswer } from '../run/last-reply.ts';
import type { RunOptions } from '../run/run-options.ts';
import type { RunResult } from '../run/run-result.ts';

/** Child conversation of a task. */
export interface ChildConversation extends AsyncDisposable, ReviewedConversation {
  send(input: string, options: { readonly id: string }): Promise<string>;
  run(options: RunOptions): Promise<RunResult>;
}

/** Opens or creates a child conversation. */
export type OpenChild = (options: { readonly id: string; readonly agent: Agent }) => Promise<ChildConversation>;

/** Task for a child conversation. */
export interface TaskOrder extends Pick<TaskRecord, 'taskId' | 'conversationId' | 'subAgent'> {
  readonly agent: Agent;
  readonly prompt: string;
  /** Id of the event of the prompt: a prompt that is in the log of the child already is not sent again. */
  readonly messageId: string;
  readonly limits: Limits;
}

/** How a task is run. */
export interface TaskContext {
  readonly open: OpenChild;
  readonly signal: AbortSignal;
  readonly onChildWaiting?: AnswerWaitingChild;
}

/** End of a task. */
export interface TaskEnd extends TaskResult {
  /** Result of the child; absent if it did not run. */
  readonly result?: RunResult;
  /** Events that its model had in view at the end, oldest first; absent if it did not run. */
  readonly events?: readonly BaseEvent[];
}

/** Maximum length of the text of a task, in UTF-16 units. */
const maxTextLength = 30_000;

/**
 * Runs a task to its end. Every failure of the child is an end too; its log is complete, and the same order continues
 * it, also in another process.
 */
export async function runTask(order: TaskOrder, context: TaskContext): Promise<TaskEnd> {
  const { taskId, subAgent } = order;
  try {
    const child = await context.open({ id: order.conversationId, agent: order.agent });
    return { taskId, subAgent, ...(await runChild(child, order, context)) };
  } catch (error) {
    // A failure of the child with a code; anything else is a bug, which answers the call of the parent.
    if (!(error instanceof Error && 'code' in error)) throw error;
    return { taskId, subAgent, isCompleted: false, text: `The sub-agent failed: ${error.message}` };
  }
}

async function runChild(child: ChildConversation, order: TaskOrder, context: TaskContext) {
  await using _ = child;
  const { signal, onChildWaiting } = context;
  const options: RunOptions = { ...order.limits, signal, ...(onChildWaiting && { onChildWaiting }) };
  // Calls that a person approved since then belong to the order before.
  if (child.state.pending.some(({ approvedDigest }) => approvedDigest !== undefined)) await child.run(options);
  await child.send(order.prompt, { id: order.messageId });
  let result = await child.run(options);
  while (result.reason === 'waiting' && (await isAnswered(child, order, context))) result = await child.run(options);
  const isCompleted = result.reason === 'finished' || result.reason === 'asked';
  const text = isCompleted ? result.text : describeEnd(result, child, order.taskId);
  const { events } = child.state.view;
  return { isCompleted, text: truncateMiddle(text, maxTextLength, omission), result, events };
}

/** Asks a person about the calls of a child. Returns true if the person decided, and about all. */
async function isAnswered(
  child: ChildConversation,
  { taskId, subAgent }: TaskOrder,
  { signal, onChildWaiting }: TaskContext,
): Promise<boolean> {
  if (!onChildWaiting) return false;
  const { head } = child.state;
  await unlessAborted(onChildWaiting({ taskId, subAgent, conversation: child }), signal);
  const { pending } = child.state;
  const isOpen = pending.some(({ approvedDigest, review }) => approvedDigest === undefined && (review?.asks ?? true));
  return !signal.aborted && child.state.head !== head && !isOpen;
}

/** Resolves with the promise, or when the signal aborts. Rejects as the promise does. */
async function unlessAborted(promise: Promise<void>, signal: AbortSignal): Promise<void> {
  const { promise: aborted, resolve } = Promise.withResolvers<void>();
  const abort = (): void => resolve();
  signal.addEventListener('abort', abort, { once: true });
  try {
    if (!signal.aborted) await Promise.race([promise, aborted]);
  } finally {
    signal.removeEventListener('abort', abort);
  }
}

function describeEnd(result: RunResult, { id, state }: ChildConversation, taskId: string): string {
  const resume = `Resume it with the id ${taskId}`;
  if (result.reason === 'waiting') {
    const calls = result.calls.map(({ event }) => `${event.tool_name} ${event.tool_call.arguments}`).join('\n');
    return `The sub-agent waits until a person approves these calls in conversation ${id}:\n${calls}\n${resume} after that; a message without an approval rejects them.`;
  }
  const last = lastWords(state);
  const partial = last === '' ? 'It wrote nothing before that.' : `The last that it wrote:\n${last}`;
  return `The sub-agent ended after ${result.iterations} steps. ${result.text} ${resume} to let it continue. ${partial}`;
}

function lastWords({ view }: ChildConversation['state']): string {
  const message = view.events.findLast((event) => MessageEvent.is(event) && event.source === 'agent');
  return message && MessageEvent.is(message) ? textOf(message.llm_message.content) : finalAnswer(view).text;
}

function omission({ chars }: { readonly chars: number }): string {
  return `\n[… ${chars} characters …]\n`;
}
