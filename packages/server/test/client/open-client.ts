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

/** A listening server, a scripted model and the official client of both. */
export interface OpenedClient extends AsyncDisposable {
  readonly client: InstanceType<typeof AgentServerClient>;
  readonly url: string;
  /** Working directory of the conversations. */
  readonly workspace: string;
  readonly model: ScriptedServer;
  readonly store: EventStore;
  /** Body of an agent of the reference with the scripted model. */
  readonly agent: { readonly kind: string; readonly llm: { readonly model: string } };
  /** Collects the events of a conversation from its socket. */
  listen(conversationId: string): Promise<EventLog>;
  /** Starts a conversation by the facade of the client. */
  conversation(id?: string): InstanceType<typeof RemoteConversation>;
  /** Stops the server and starts another one with the same store and settings. */
  restart(): Promise<void>;
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
  const logs: EventLog[] = [];
  const agent = {
    kind: 'Agent',
    llm: { model: 'openai/scripted', base_url: model.url, api_key: 'key-of-the-model', usage_id: 'agent' },
    tools: [{ name: 'terminal' }, { name: 'file_editor' }, { name: 'task_tracker' }],
  };
  return {
    client: new AgentServerClient({ host: listening.url, apiKey: testKey }),
    url: listening.url,
    workspace,
    model,
    store,
    agent,
    conversation: (conversationId) =>
      new RemoteConversation(
        agent,
        new RemoteWorkspace({ host: listening.url, workingDir: workspace, apiKey: testKey }),
        {
          ...(conversationId !== undefined && { conversationId }),
        },
      ),
    async listen(conversationId) {
      const log = eventLog();
      logs.push(log);
      const socket = new WebSocketCallbackClient({
        host: listening.url,
        conversationId,
        apiKey: testKey,
        callback: (event: Event) => log.add(event),
        onError: (error) => log.fail(error),
      });
      log.onClose(() => socket.stop());
      socket.start();
      await log.until((event) => event.kind === 'ConversationStateUpdateEvent');
      return log;
    },
    async restart() {
      const { port } = listening;
      await listening[Symbol.asyncDispose]();
      listening = await server(options).listen(port);
    },
    async [Symbol.asyncDispose]() {
      for (const log of logs) log.close();
      await listening[Symbol.asyncDispose]();
      await model[Symbol.asyncDispose]();
      await store[Symbol.asyncDispose]();
      await rm(directory, { recursive: true, force: true });
    },
  };
}
