import type { Conversation } from '@varve/agent';
import { text } from '@varve/events';
import type { Work } from '@varve/host';
import { goalWork } from '@varve/host/kit';
import type { TextLine } from '@varve/events/text';
import { attachedFiles } from './attached-files.ts';
import { modeContent } from './confirm-modes.ts';
import type { RunOptions } from './run-options.ts';

/**
 * Stores what the user asks for, and returns what runs the agent on it: undefined for a plain run. With `--goal` the
 * task is an objective; without one, the interrupted goal continues.
 *
 * @throws {AgentError} `nothing-to-do` without a task and without an interrupted goal, `invalid`, `blocked`.
 */
export async function startWork(
  conversation: Conversation,
  task: string,
  options: RunOptions,
): Promise<Work | undefined> {
  if (!options.goal) {
    const files = await filesOf(task, conversation, options);
    if (task !== '') await conversation.send([text(task), ...files, ...modeContent(conversation)]);
    return undefined;
  }
  const { goal } = conversation;
  // The objective is a text, which a model judges: what belongs to it is a message before.
  const files = await filesOf(task, conversation, options);
  if (files.length > 0) await conversation.send(files);
  const loop = task === '' ? await goal.requestResume() : await goal.request(task, options.maxRounds);
  return goalWork(conversation, loop);
}

/** Messages of a program are stored as they are. */
async function filesOf(task: string, conversation: Conversation, { inputFormat }: RunOptions) {
  return inputFormat === 'stream-json' ? [] : attachedFiles(task, conversation);
}

/** Returns what became of a goal that was judged to its end; undefined for one that can be resumed. */
export function goalLine({ goal }: Conversation): TextLine | undefined {
  const { status, iteration, verdict } = goal.state ?? {};
  const checks = iteration === 1 ? '1 check' : `${iteration} checks`;
  if (status === 'complete') return { mark: 'success', text: `✔ The goal is met according to ${checks} by the model.` };
  if (status !== 'capped') return undefined;
  const missing = verdict?.missing.trim() || 'the model did not write what is missing';
  return { mark: 'warning', text: `The goal is not met after ${checks}: ${missing}` };
}
