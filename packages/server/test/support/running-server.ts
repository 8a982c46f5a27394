import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { eventCodec, type BaseEvent } from '@varve/events';
import { builtinKinds, ConversationStateUpdateEvent } from '@varve/events/kinds';
import { scriptedServer, type ScriptedServer, type ScriptedStep } from '@varve/llm/testing';
import { canonicalId, memoryStore, type EventStore } from '@varve/storage';
import type { ConversationInfo } from '../../src/reference/info/conversation-info.ts';
import { server, type Server } from '../../src/server.ts';
import type { ServerOptions } from '../../src/server-options.ts';
import { testKey } from './requests.ts';

/** A server with a scripted model and a temporary workspace. */
export interface RunningServer extends AsyncDisposable {
  readonly server: Server;
  readonly store: EventStore;
  readonly model: ScriptedServer;
  readonly workspace: string;
  /** Sends a request below `/api/conversations` and returns its response. */
  send(method: string, path: string, body?: unknown): Promise<Response>;
  /** As `send`, and returns the JSON of a response with the expected status. */
  json<Result = Record<string, unknown>>(status: number, method: string, path: string, body?: unknown): Promise<Result>;
  /** Creates a conversation with the scripted model. */
  create(body?: Readonly<Record<string, unknown>>): Promise<ConversationInfo>;
  /** Resolves when the log contains the n-th update to one of these statuses. */
  status(id: string, statuses: readonly string[], count?: number): Promise<string>;
  /** Resolves when the log contains an update of a field to an accepted value. */
  update(id: string, key: string, isAccepted: (value: unknown) => boolean): Promise<void>;
  /** Returns all events of a conversation. */
  events(id: string): Promise<readonly BaseEvent[]>;
}

const codec = eventCodec(builtinKinds);

/** Statuses that a run ends with. */
export const ended = ['finished', 'paused', 'error', 'stuck', 'waiting_for_confirmation', 'idle'];

/** Starts a scripted model, and a server that answers requests of this process. */
export async function runningServer(
  steps: Iterable<ScriptedStep>,
  options: Partial<ServerOptions> = {},
): Promise<RunningServer> {
  const model = await scriptedServer(steps);
  const workspace = mkdtempSync(join(tmpdir(), 'varve-server-'));
  const store = options.store ?? memoryStore();
  const env = { PATH: process.env['PATH'] };
  const serving = server({ env, ...options, store, keys: [testKey] });
  const send = async (method: string, path: string, body?: unknown): Promise<Response> =>
    serving.request(`/api/conversations${path}`, {
      method,
      headers: { 'X-Session-API-Key': testKey, 'content-type': 'application/json' },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
  const json: RunningServer['json'] = async (status, method, path, body) => {
    const response = await send(method, path, body);
    const text = await response.text();
    if (response.status !== status) throw new Error(`${method} ${path}: ${response.status} ${text}`);
    return JSON.parse(text);
  };
  return {
    server: serving,
    store,
    model,
    workspace,
    send,
    json,
    create: (body = {}) => json(201, 'POST', '', { ...requestFor(model, workspace), ...body }),
    async status(id, statuses, count = 1) {
      let [left, status] = [count, ''];
      await untilUpdate(store, canonicalId(id), 'execution_status', (value) => {
        status = String(value);
        if (statuses.includes(status)) left -= 1;
        return left === 0;
      });
      return status;
    },
    update: (id, key, isAccepted) => untilUpdate(store, canonicalId(id), key, isAccepted),
    async events(id) {
      const log = await store.read(canonicalId(id));
      return Array.fromAsync(log.range(0), ({ text }) => codec.read(text));
    },
    async [Symbol.asyncDispose]() {
      await serving[Symbol.asyncDispose]();
      await model[Symbol.asyncDispose]();
      rmSync(workspace, { recursive: true, force: true });
    },
  };
}

/** Returns the body of a request for a conversation with a scripted model, which asks about nothing. */
export function requestFor({ url }: ScriptedServer, workspace: string) {
  return {
    workspace: { working_dir: workspace, kind: 'LocalWorkspace' },
    confirmation_policy: { kind: 'NeverConfirm' },
    agent: {
      kind: 'Agent',
      llm: { model: 'openai/scripted', base_url: url, api_key: 'sk-of-the-test', num_retries: 0 },
    },
  };
}

/** Returns a message of the user. */
export function message(text: string, run = false) {
  return { role: 'user', content: [{ type: 'text', text }], run };
}

async function untilUpdate(
  store: EventStore,
  id: string,
  key: string,
  isAccepted: (value: unknown) => boolean,
): Promise<void> {
  const aborting = new AbortController();
  const log = await store.read(id);
  for await (const { text } of log.tail(0, aborting.signal)) {
    const event = codec.read(text);
    if (!ConversationStateUpdateEvent.is(event) || event.key !== key || !isAccepted(event.value)) continue;
    aborting.abort();
    return;
  }
}
