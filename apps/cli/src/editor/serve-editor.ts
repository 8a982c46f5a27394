import { randomUUID } from 'node:crypto';
import { Readable } from 'node:stream';
import {
  agent,
  methods,
  ndJsonStream,
  PROTOCOL_VERSION,
  RequestError,
  type AgentApp,
  type AgentContext,
  type InitializeResponse,
  type McpServer,
  type SessionInfo,
} from '@agentclientprotocol/sdk';
import { canonicalId } from '@varve/storage';
import { appVersion } from '../home/app-file.ts';
import { findConversations } from '../conversations/find-conversations.ts';
import { metaFields } from '../conversations/meta-fields.ts';
import { failureText } from '../home/describe-failure.ts';
import type { RunOptions } from '../opening/run-options.ts';
import { openExistingStore } from '../home/open-configured-store.ts';
import { settingsFor } from '../home/settings.ts';
import type { TerminalIo } from '../terminal/terminal-io.ts';
import { onInterrupt } from '../terminal/signals.ts';
import { serversOf } from './client-servers.ts';
import { EditorSession } from './editor-session.ts';

/** Conversations that an editor offers. */
const maxListed = 200;

const description: InitializeResponse = {
  protocolVersion: PROTOCOL_VERSION,
  agentInfo: { name: 'varve', version: appVersion() },
  agentCapabilities: {
    loadSession: true,
    promptCapabilities: { image: true, embeddedContext: true },
    mcpCapabilities: { http: true, sse: true },
    sessionCapabilities: { list: {}, close: {} },
  },
};

/** Serves an editor on standard input and output until it closes them. */
export async function serveEditor(options: RunOptions, io: TerminalIo): Promise<void> {
  using ending = new DisposableStack();
  await using sessions = new EditorSessions(options, io);
  const output = new WritableStream<Uint8Array>({
    write: (bytes) => io.stdout.jsonLine(new TextDecoder().decode(bytes).trimEnd()),
  });
  const input = Readable.toWeb(Readable.from(io.stdin)) as ReadableStream<Uint8Array>;
  const connection = agentOf(sessions).connect(ndJsonStream(output, input));
  onInterrupt({ pause: () => connection.close(), stop: () => connection.close() }, ending);
  await connection.closed;
}

function agentOf(sessions: EditorSessions): AgentApp {
  const { session } = methods.agent;
  const reported = async <T>(answer: () => Promise<T>): Promise<T> => answerOrFailure(sessions.io, answer);
  return agent({ name: 'varve' })
    .onRequest(methods.agent.initialize, () => description)
    .onRequest(session.new, async ({ params, client }) => reported(async () => sessions.create(params, client)))
    .onRequest(session.load, async ({ params, client }) => reported(async () => sessions.load(params, client)))
    .onRequest(session.list, async ({ params }) => reported(async () => sessions.list(params.cwd ?? undefined)))
    .onRequest(session.close, async ({ params }) => reported(async () => sessions.close(params.sessionId)))
    .onRequest(session.setMode, async ({ params }) =>
      reported(async () => sessions.find(params.sessionId).setMode(params.modeId)),
    )
    .onRequest(session.prompt, async ({ params }) =>
      reported(async () => ({ stopReason: await sessions.find(params.sessionId).prompt(params.prompt) })),
    )
    .onNotification(session.cancel, ({ params }) => sessions.find(params.sessionId).cancel());
}

/** What an editor chooses for a session. */
interface SessionPlace {
  readonly cwd: string;
  readonly mcpServers: readonly McpServer[];
}

/** Sessions of one editor. */
class EditorSessions implements AsyncDisposable {
  readonly #options: RunOptions;
  readonly io: TerminalIo;
  readonly #sessions = new Map<string, EditorSession>();

  constructor(options: RunOptions, io: TerminalIo) {
    this.#options = options;
    this.io = io;
  }

  /** @throws {RequestError} for an unknown session. */
  find(id: string): EditorSession {
    const session = this.#sessions.get(id);
    if (session) return session;
    throw RequestError.resourceNotFound(id);
  }

  async create(place: SessionPlace, client: AgentContext) {
    const sessionId = canonicalId(randomUUID());
    const session = await this.#add(sessionId, { newId: sessionId }, place, client);
    return { sessionId, modes: session.modes };
  }

  async load({ sessionId, ...place }: SessionPlace & { readonly sessionId: string }, client: AgentContext) {
    await this.close(sessionId);
    const session = await this.#add(sessionId, { resume: sessionId }, place, client);
    await session.replay();
    return { modes: session.modes };
  }

  async list(workspace: string | undefined): Promise<{ readonly sessions: SessionInfo[] }> {
    await using store = await openExistingStore(this.io, this.#options.store);
    const { items } = await findConversations(store, { limit: maxListed, workspace });
    const sessions = items.map(({ id, meta, updatedAt }) => {
      const { title, workspace: cwd } = metaFields(meta);
      return { sessionId: id, cwd, title: title || null, updatedAt: new Date(updatedAt).toISOString() };
    });
    return { sessions };
  }

  async close(id: string): Promise<void> {
    const session = this.#sessions.get(id);
    this.#sessions.delete(id);
    await session?.[Symbol.asyncDispose]();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all([...this.#sessions.keys()].map(async (id) => this.close(id)));
  }

  async #add(
    id: string,
    which: Pick<RunOptions, 'newId' | 'resume'>,
    { cwd, mcpServers }: SessionPlace,
    client: AgentContext,
  ): Promise<EditorSession> {
    const settings = await settingsFor(this.io, { workspace: cwd });
    const options = { ...this.#options, ...which, workspace: cwd };
    const servers = serversOf(mcpServers, cwd);
    const session = new EditorSession(id, options, settings, { io: this.io, client, servers });
    this.#sessions.set(id, session);
    return session;
  }
}

/** Converts failures that a person can fix into errors of the protocol, with what can be done next. */
async function answerOrFailure<T>(io: TerminalIo, answer: () => Promise<T>): Promise<T> {
  try {
    return await answer();
  } catch (error) {
    throw new RequestError(-32603, failureText(error, io));
  }
}
