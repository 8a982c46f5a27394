import { randomUUID } from 'node:crypto';
import { stat } from 'node:fs/promises';
import { isAbsolute } from 'node:path';
import {
  RequestError,
  type AgentContext,
  type McpServer,
  type PromptCapabilities,
  type SessionInfo,
} from '@agentclientprotocol/sdk';
import { LlmError } from '@varve/llm';
import { SettingsError } from '@varve/settings';
import { modelFromSettings } from '@varve/settings/agent';
import { canonicalId } from '@varve/storage';
import { findConversations } from '../conversations/find-conversations.ts';
import { metaFields } from '../conversations/meta-fields.ts';
import { modelOptions } from '../home/configured-model.ts';
import { openExistingStore } from '../home/open-configured-store.ts';
import { settingsFor } from '../home/settings.ts';
import { flagsOf } from '../opening/run-flags.ts';
import type { RunOptions } from '../opening/run-options.ts';
import type { TerminalIo } from '../terminal/terminal-io.ts';
import { serversOf } from './client-servers.ts';
import { EditorSession } from './editor-session.ts';

/** Conversations that an editor offers. */
const maxListed = 200;

/** What an editor chooses for a session. */
interface SessionPlace {
  readonly cwd: string;
  readonly mcpServers?: readonly McpServer[];
}

/** Place of a stored conversation. */
interface StoredPlace extends SessionPlace {
  readonly sessionId: string;
}

/** Sessions of one editor. */
export class EditorSessions implements AsyncDisposable {
  readonly #options: RunOptions;
  readonly io: TerminalIo;
  readonly #sessions = new Map<string, EditorSession>();

  constructor(options: RunOptions, io: TerminalIo) {
    this.#options = options;
    this.io = io;
  }

  /** Returns what prompts may contain: images only for a model that sees them. */
  async promptCapabilities(): Promise<PromptCapabilities> {
    const settings = await settingsFor(this.io, { workspace: this.io.cwd, flags: flagsOf(this.#options) });
    const created = await modelFromSettings(modelOptions(this.io, { settings })).catch((error: unknown) => {
      // A prompt reports what is missing.
      if (error instanceof SettingsError || error instanceof LlmError) return undefined;
      throw error;
    });
    return { image: created?.model.capabilities.vision ?? false, embeddedContext: true };
  }

  /** @throws {RequestError} for an unknown session. */
  find(id: string): EditorSession {
    const session = this.#sessions.get(id);
    if (session) return session;
    throw RequestError.sessionNotFound(id);
  }

  async create(place: SessionPlace, client: AgentContext) {
    const sessionId = canonicalId(randomUUID());
    const session = await this.#add(sessionId, { newId: sessionId }, place, client);
    return { sessionId, ...(await session.choices()) };
  }

  /** Opens a stored conversation. One that runs here continues. @throws {RequestError} for an unknown one. */
  async resume({ sessionId, ...place }: StoredPlace, client: AgentContext): Promise<EditorSession> {
    await checkDirectory(place);
    const open = this.#sessions.get(sessionId);
    if (open?.isRunning) return open;
    await this.close(sessionId);
    await this.#checkStored(sessionId);
    return this.#add(sessionId, { resume: sessionId }, place, client);
  }

  /** Opens a stored conversation, and sends all of its events. */
  async load(place: StoredPlace, client: AgentContext) {
    const session = await this.resume(place, client);
    await session.replay();
    return session.choices();
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

  /** Only a whole id names a conversation of an editor. */
  async #checkStored(id: string): Promise<void> {
    await using store = await openExistingStore(this.io, this.#options.store);
    await store.summary(id);
  }

  async #add(
    id: string,
    which: Pick<RunOptions, 'newId' | 'resume'>,
    place: SessionPlace,
    client: AgentContext,
  ): Promise<EditorSession> {
    await checkDirectory(place);
    const { cwd, mcpServers = [] } = place;
    const options = { ...this.#options, ...which, workspace: cwd };
    const settings = await settingsFor(this.io, { workspace: cwd, flags: flagsOf(options) });
    const servers = serversOf(mcpServers, cwd);
    const session = new EditorSession(id, options, settings, { io: this.io, client, servers });
    this.#sessions.set(id, session);
    return session;
  }
}

async function checkDirectory({ cwd }: SessionPlace): Promise<void> {
  if (!isAbsolute(cwd)) throw RequestError.invalidParams({ cwd }, `The directory ${cwd} is not absolute.`);
  const stats = await stat(cwd).catch(() => undefined);
  if (!stats?.isDirectory()) throw RequestError.invalidParams({ cwd }, `There is no directory ${cwd}.`);
}
