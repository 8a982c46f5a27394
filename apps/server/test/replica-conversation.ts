import { join } from 'node:path';
import type { ScriptedServer, ScriptedStep, ScriptedTurn } from '@varve/llm/testing';
import { expect } from 'vitest';
import { jsonOf, requested, type ReplicaGroup } from './replica-group.ts';

/** What the tests read of the description of a conversation. */
export interface ConversationInfo {
  readonly id: string;
  readonly execution_status: string;
}

/** What is returned when something was stored. */
export interface Stored {
  readonly id: string;
}

/** Reply that ends a run. */
export const finish: ScriptedTurn = { calls: [{ name: 'finish', arguments: { message: 'Done.' } }] };

/** Script of a model that always replies the same. */
export function* forever(step: ScriptedStep): Generator<ScriptedStep> {
  for (;;) yield step;
}

/** Body of a request that creates a conversation with this model, and with a message that starts a run. */
export function conversation({ url }: ScriptedServer, directory: string, text?: string) {
  return {
    workspace: { working_dir: join(directory, 'workspace'), kind: 'LocalWorkspace' },
    confirmation_policy: { kind: 'NeverConfirm' },
    agent: {
      kind: 'Agent',
      llm: { model: 'openai/scripted', base_url: url, api_key: 'sk-of-the-test', num_retries: 0 },
    },
    ...(text !== undefined && { initial_message: messageOf(text) }),
  };
}

/** Body of a message of the user. */
export function messageOf(text: string, run = true) {
  return { role: 'user', content: [{ type: 'text', text }], run };
}

/** Waits until a conversation has a status. */
export async function until(group: ReplicaGroup, id: string, status: string): Promise<void> {
  const current = async () =>
    jsonOf<ConversationInfo>(await requested(group.url, 'GET', `/conversations/${id}`), 'status');
  await expect.poll(async () => (await current()).execution_status, { timeout: 60_000 }).toBe(status);
}
