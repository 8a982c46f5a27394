import { randomUUID } from 'node:crypto';
import { stat } from 'node:fs/promises';
import { isAbsolute } from 'node:path';
import {
  RequestError,
  type AgentContext,
  type McpServer,
  type PromptCapabilities,
  type PromptRequest,
  type PromptResponse,
  type SessionInfo,
  type SetSessionConfigOptionRequest,
  type SetSessionConfigOptionResponse,
} from '@agentclientprotocol/sdk';
import { modelFromSettings } from '@varve/settings/agent';
import { canonicalId, type Summary } from '@varve/storage';
import { findConversations, treeOf } from '../conversations/find-conversations.ts';
import { metaFields } from '../conversations/meta-fields.ts';
import { CliError } from '../failures/cli-error.ts';
import { exitCodes } from '../failures/exit-codes.ts';
import { modelOptions } from '../home/configured-model.ts';
import { openExistingStore } from '../home/open-configured-store.ts';
import { settingsFor } from '../home/settings.ts';
import { flagsOf } from '../opening/run-flags.ts';
import type { RunOptions } from '../opening/run-options.ts';
import type { TerminalIo } from '../terminal/terminal-io.ts';
import { stateOfNew } from '../opening/state-of-new.ts';
import { serversOf } from './client-servers.ts';
import { EditorSession } from './editor-session.ts';
import { sessionModel } from './session-model.ts';

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
    // Without a model or its key, the first prompt reports what is missing.
    const created = await modelFromSettings(modelOptions(this.io, { settings })).catch(() => undefined);
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
    const session = await this.#add({ id: sessionId }, place, client);
    return { sessionId, ...(await session.begin()) };
  }

  /** Opens a stored conversation, and sends all of its events. */
  async load(place: StoredPlace, client: AgentContext) {
    const session = await this.#stored(place, client);
    await session.replay();
    return session.begin();
  }

  /** Opens a stored conversation. */
  async resume(place: StoredPlace, client: AgentContext) {
    return (await this.#stored(place, client)).begin();
  }

  /** Runs the agent on a prompt, and sends what a list of conversations has about it. */
  async prompt({ sessionId, prompt }: PromptRequest, signal: AbortSignal): Promise<PromptResponse> {
    const session = this.find(sessionId);
    const stopReason = await session.prompt(prompt, signal);
    // A conversation in memory is in no list, and what a prompt did does not depend on a title.
    const summary = await this.#summary(sessionId).catch(() => undefined);
    if (summary) session.send({ sessionUpdate: 'session_info_update', ...infoOf(summary) });
    return { stopReason };
  }

  /** Changes an option of a session. */
  async setOption(params: SetSessionConfigOptionRequest): Promise<SetSessionConfigOptionResponse> {
    const session = this.find(params.sessionId);
    await session.setOption(params.configId, params.value);
    return session.choices();
  }

  /** Removes a conversation, and those of its sub-agents. */
  async delete(id: string): Promise<void> {
    await this.close(id);
    await using store = await openExistingStore(this.io, this.#options.store);
    const { updatedAt } = await store.summary(id);
    const { applyRetention } = await import('@varve/storage/maintenance');
    const remove = [{ members: await treeOf(store, id), updatedAt, reason: 'age' as const }];
    const { skipped } = await applyRetention(store, { remove, kept: 0, failed: [] });
    if (skipped.length > 0)
      throw new CliError(exitCodes.storage, `The conversation ${id} was not removed: another process uses it.`);
  }

  async list(workspace: string | undefined): Promise<{ readonly sessions: SessionInfo[] }> {
    await using store = await openExistingStore(this.io, this.#options.store);
    const { items } = await findConversations(store, { limit: maxListed, workspace });
    return {
      sessions: items.map((item) => ({ sessionId: item.id, cwd: metaFields(item.meta).workspace, ...infoOf(item) })),
    };
  }

  async close(id: string): Promise<void> {
    const session = this.#sessions.get(id);
    this.#sessions.delete(id);
    await session?.[Symbol.asyncDispose]();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all([...this.#sessions.keys()].map(async (id) => this.close(id)));
  }

  /** Opens a stored conversation. One that runs here continues. */
  async #stored({ sessionId: id, ...place }: StoredPlace, client: AgentContext): Promise<EditorSession> {
    await checkDirectory(place);
    const open = this.#sessions.get(id);
    if (open?.isRunning) return open;
    await this.close(id);
    const { meta } = await this.#summary(id);
    const session = await this.#add({ id, model: metaFields(meta).model }, place, client);
    await session.open();
    return session;
  }

  /** Only a whole id names a conversation of an editor. */
  async #summary(id: string): Promise<Summary> {
    await using store = await openExistingStore(this.io, this.#options.store);
    return await store.summary(id);
  }

  /** Adds a session; with a `model` that of a stored conversation. */
  async #add(
    { id, model: stored }: { readonly id: string; readonly model?: string },
    place: SessionPlace,
    client: AgentContext,
  ): Promise<EditorSession> {
    await checkDirectory(place);
    const { io } = this;
    const { cwd, mcpServers = [] } = place;
    const which = stored === undefined ? { newId: id } : { resume: id };
    const options = { ...this.#options, ...which, workspace: cwd };
    const { mode, model: own = 'none' } = await stateOfNew(options, io);
    const model = sessionModel(options.model ?? stored ?? own, options, io);
    const servers = serversOf(mcpServers, cwd);
    const session = new EditorSession(id, options, { io, client, servers, mode, model });
    this.#sessions.set(id, session);
    return session;
  }
}

/** Returns what a list has about a conversation. */
function infoOf({ meta, updatedAt }: Summary): Pick<SessionInfo, 'title' | 'updatedAt'> {
  return { title: metaFields(meta).title || null, updatedAt: new Date(updatedAt).toISOString() };
}

async function checkDirectory({ cwd }: SessionPlace): Promise<void> {
  if (!isAbsolute(cwd)) throw RequestError.invalidParams({ cwd }, `The directory ${cwd} is not absolute.`);
  const stats = await stat(cwd).catch(() => undefined);
  if (!stats?.isDirectory()) throw RequestError.invalidParams({ cwd }, `There is no directory ${cwd}.`);
}
