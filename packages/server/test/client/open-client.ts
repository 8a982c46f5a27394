import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Event } from '@openhands/typescript-client';
import { scriptedServer, type ScriptedServer, type ScriptedStep } from '@varve/llm/testing';
import { memoryStore, type EventStore } from '@varve/storage';
import { server } from '../../src/server.ts';
import { testKey } from '../support/requests.ts';
import { eventLog, type EventLog } from './event-log.ts';
import { AgentServerClient, RemoteConversation, RemoteWorkspace, WebSocketCallbackClient } from './official-client.ts';

/** Address of servers, a scripted model and the official client of both. */
export interface OpenedClient extends AsyncDisposable {
  readonly client: InstanceType<typeof AgentServerClient>;
  readonly url: string;
  readonly apiKey: string;
  /** Working directory of the conversations. */
  readonly workspace: string;
  readonly model: ScriptedServer;
  /** Body of an agent of the reference with the scripted model. */
  readonly agent: { readonly kind: string; readonly llm: { readonly model: string } };
  /** Collects the events of a conversation from its socket. */
  listen(conversationId: string): Promise<EventLog>;
  /** Starts a conversation by the facade of the client. */
  conversation(id?: string): InstanceType<typeof RemoteConversation>;
  /** Stops the server and starts another one with the same store and settings. */
  restart(): Promise<void>;
}

/** Opens a client whose model answers with a script. */
export type OpenClient = (steps?: Iterable<ScriptedStep>) => Promise<OpenedClient>;

/** Uses of the client, by their titles; servers in one process and replicas have to pass them. */
export type ClientCases = Readonly<Record<string, (open: OpenClient) => Promise<void>>>;

/** Place of servers. */
export interface ClientTarget extends Pick<OpenedClient, 'url' | 'apiKey' | 'workspace' | 'model' | 'restart'> {
  /** Returns all events of a conversation: a socket that connects again does not send those that it missed. */
  readonly events?: ((client: OpenedClient['client'], conversationId: string) => Promise<readonly Event[]>) | undefined;
}

/** Opens the client of a target. Disposing closes its sockets, and nothing else. */
export function clientOf(target: ClientTarget): OpenedClient {
  const { url: host, apiKey, workspace, model } = target;
  const logs: EventLog[] = [];
  const client = new AgentServerClient({ host, apiKey });
  const agent = {
    kind: 'Agent',
    llm: { model: 'openai/scripted', base_url: model.url, api_key: 'key-of-the-model', usage_id: 'agent' },
    tools: [{ name: 'terminal' }, { name: 'file_editor' }, { name: 'task_tracker' }],
  };
  return {
    ...target,
    client,
    agent,
    conversation: (conversationId) =>
      new RemoteConversation(agent, new RemoteWorkspace({ host, workingDir: workspace, apiKey }), {
        ...(conversationId !== undefined && { conversationId }),
      }),
    async listen(conversationId) {
      const log = eventLog();
      logs.push(log);
      const addNew = (event: Event): void => {
        if (!log.events.some(({ id }) => id === event.id)) log.add(event);
      };
      let added: Promise<void> = Promise.resolve();
      // The state of a new connection comes after what it missed: who waits for a status has received all before it.
      const addInOrder = async (event: Event): Promise<void> => {
        await added;
        const isConnected = 'key' in event && event.key === 'full_state';
        for (const missed of (isConnected && (await target.events?.(client, conversationId))) || []) addNew(missed);
        addNew(event);
      };
      const socket = new WebSocketCallbackClient({
        host,
        conversationId,
        apiKey,
        callback(event: Event) {
          if (!target.events) return log.add(event);
          added = addInOrder(event).catch((error: Error) => log.fail(error));
        },
        onError: (error) => log.fail(error),
      });
      log.onClose(() => socket.stop());
      socket.start();
      await log.until((event) => event.kind === 'ConversationStateUpdateEvent');
      return log;
    },
    async [Symbol.asyncDispose]() {
      for (const log of logs) log.close();
    },
  };
}

/** Starts a server with a model that answers with a script. */
export async function openClient(
  steps: Iterable<ScriptedStep> = [],
  openStore: (directory: string) => Promise<EventStore> = async () => memoryStore(),
): Promise<OpenedClient> {
  const directory = await mkdtemp(join(tmpdir(), 'varve-client-'));
  const workspace = join(directory, 'workspace');
  await mkdir(workspace);
  const model = await scriptedServer(steps);
  const store = await openStore(join(directory, 'store'));
  const options = { store, keys: [testKey], home: join(directory, 'home'), env: {} };
  let listening = await server(options).listen(0);
  const opened = clientOf({
    url: listening.url,
    apiKey: testKey,
    workspace,
    model,
    async restart() {
      const { port } = listening;
      await listening[Symbol.asyncDispose]();
      listening = await server(options).listen(port);
    },
  });
  return {
    ...opened,
    async [Symbol.asyncDispose]() {
      await opened[Symbol.asyncDispose]();
      await listening[Symbol.asyncDispose]();
      await model[Symbol.asyncDispose]();
      await store[Symbol.asyncDispose]();
      await rm(directory, { recursive: true, force: true });
    },
  };
}
