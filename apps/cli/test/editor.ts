import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, realpath } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable, Writable } from 'node:stream';
import { text as readAll } from 'node:stream/consumers';
import {
  client,
  methods,
  ndJsonStream,
  type ClientContext,
  type InitializeResponse,
  type McpServer,
  type PromptRequest,
  type RequestPermissionRequest,
  type SessionUpdate,
} from '@agentclientprotocol/sdk';
import type { ScriptedServer, ScriptedTurn } from '@varve/llm/testing';
import { expect } from 'vitest';
import { appMain } from '../../../tests/app-main.ts';
import { processEnvironment } from './process-environment.ts';

const main = appMain('cli');
/** Reply that ends a run. */
export const done = (message: string): ScriptedTurn => ({ calls: [{ name: 'finish', arguments: { message } }] });

/** Reply that runs a command. */
export const command = (text: string): ScriptedTurn => ({
  calls: [{ name: 'terminal', arguments: { command: text } }],
});

/** What a test does as an editor. */
export interface Editor {
  readonly described: InitializeResponse;
  readonly agent: ClientContext;
  readonly cwd: string;
  readonly updates: SessionUpdate[];
  readonly asked: RequestPermissionRequest[];
  /** Resolves when an update arrives for which the function is true. */
  readonly seen: (isWanted: (update: SessionUpdate) => boolean) => Promise<void>;
}

/** Options of {@link withEditor}. */
export interface EditorOptions {
  readonly home: string;
  readonly args?: readonly string[];
  /** Chooses among the options of a question, or cancels it. */
  readonly answer?: string;
  readonly env?: Readonly<Record<string, string>>;
  /** What it prints on standard error. */
  readonly prints?: string;
}

/** Creates an empty home directory. */
export async function newHome(): Promise<string> {
  return realpath(await mkdtemp(join(tmpdir(), 'varve acp ')));
}

/** Starts the command as the agent of an editor while a function uses it. */
export async function withEditor<T>(
  { url }: Pick<ScriptedServer, 'url'>,
  { home, args = [], answer = 'once', env = {}, prints = '' }: EditorOptions,
  use: (editor: Editor) => Promise<T>,
): Promise<T> {
  const options = ['acp', '--base-url', url, '--model', 'scripted', '--sandbox', 'off', ...args];
  const child = spawn(process.execPath, [main, ...options], {
    env: processEnvironment(home, env),
    stdio: 'pipe',
  });
  const errors = readAll(child.stderr);
  const ended = once(child, 'exit');
  const updates: SessionUpdate[] = [];
  const asked: RequestPermissionRequest[] = [];
  const waiting = new Set<() => void>();
  const output = Writable.toWeb(child.stdin) as WritableStream<Uint8Array>;
  const input = Readable.toWeb(child.stdout) as ReadableStream<Uint8Array>;
  const result = await client({ name: 'test' })
    .onNotification(methods.client.session.update, ({ params }) => {
      updates.push(params.update);
      for (const check of waiting) check();
    })
    .onRequest(methods.client.session.requestPermission, ({ params }) => {
      asked.push(params);
      const isOffered = params.options.some(({ optionId }) => optionId === answer);
      return { outcome: isOffered ? { outcome: 'selected', optionId: answer } : { outcome: 'cancelled' } };
    })
    .connectWith(ndJsonStream(output, input), async (agent) => {
      const described = await agent.request(methods.agent.initialize, { protocolVersion: 1, clientCapabilities: {} });
      const seen = (isWanted: (update: SessionUpdate) => boolean): Promise<void> =>
        new Promise((resolve) => {
          const check = (): void => void (updates.some(isWanted) && (waiting.delete(check), resolve()));
          waiting.add(check);
          check();
        });
      return use({ described, agent, cwd: home, updates, asked, seen });
    });
  child.stdin.end();
  await ended;
  expect([child.exitCode, await errors]).toEqual([0, prints]);
  return result;
}

/** Creates a session; returns its id. */
export async function newSession({ agent, cwd }: Editor, mcpServers: readonly McpServer[] = []): Promise<string> {
  const { sessionId } = await agent.request(methods.agent.session.new, { cwd, mcpServers: [...mcpServers] });
  return sessionId;
}

/** Sends a text as a prompt; returns why it ended. */
export async function prompt({ agent }: Editor, sessionId: string, text: string): Promise<string> {
  const params: PromptRequest = { sessionId, prompt: [{ type: 'text', text }] };
  return (await agent.request(methods.agent.session.prompt, params)).stopReason;
}

/** Returns a function that tests whether an update contains a text of the output of a call. */
export const hasOutput =
  (text: string) =>
  (update: SessionUpdate): boolean =>
    update.sessionUpdate === 'tool_call_update' && JSON.stringify(update.content ?? '').includes(text);

/** Returns the text of the updates of a kind. */
export function textIn(
  updates: readonly SessionUpdate[],
  kind: 'agent_message_chunk' | 'agent_thought_chunk' | 'user_message_chunk',
): string {
  return updates
    .flatMap((update) => (update.sessionUpdate === kind && update.content.type === 'text' ? [update.content.text] : []))
    .join('');
}

/** A picture of one dot. */
export const png = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';
