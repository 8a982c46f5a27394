import { realpath, stat } from 'node:fs/promises';
import { eventCodec, type EventCodec, type Json } from '@varve/events';
import { builtinKinds } from '@varve/events/kinds';
import type { EventLog } from '@varve/storage';
import { redactor } from '@varve/text';
import type { Tool } from '@varve/tools';
import { defineAgent } from '../agent.ts';
import type { BudgetLedger } from '../budget/budget-ledger.ts';
import { AgentError } from '../error.ts';
import { readMeta } from '../log/conversation-meta.ts';
import { conversationTimeline } from '../log/conversation-state.ts';
import { lastTimestamp } from '../log/read-log.ts';
import { importDraft } from '../log/drafts.ts';
import { metaDifferences, metaWith, settingsOf, storedSettings } from '../log/settings.ts';
import { snapshotName } from '../log/snapshot-name.ts';
import { closeTools, Session } from '../session.ts';
import { registerClientTools } from './client-tools.ts';
import type { ConversationOptions, CreateOptions, OpenOptions } from './conversation-options.ts';
import { checkImported } from './import-conversation.ts';
import { navigateTo } from './navigate.ts';
import { checkAgent, resumeAgent } from './resume-agent.ts';
import { copyMissingEvents, unfinishedFork, withoutForkMark, type UnfinishedFork } from './unfinished-fork.ts';

/** Parent of a session, if it has one. */
export interface ParentSession {
  readonly conversationId: string;
  readonly ledger: BudgetLedger;
}

/** Creates a conversation. @throws {AgentError} `invalid`; {@link StorageError} `exists` and what the store throws. */
export async function createSession(
  options: CreateOptions & { readonly id: string },
  parent?: ParentSession,
): Promise<Session> {
  checkId(options.id);
  const workspace = await directory(options.workspace);
  const codec = codecOf(options);
  // The spec may be that of an agent from which this one was derived.
  const agent = defineAgent(options.agent);
  const { tools: agentTools, mask } = makeTools(options);
  try {
    // Masked here, so that they are equal in the log, next to it and when they are given again.
    const clientTools = mask(options.clientTools ?? []);
    const { tools, specs } = registerClientTools({ id: options.id, agentTools, added: clientTools });
    const parentId = parent && { parent: parent.conversationId };
    const settings = settingsOf({ agent, workspace, clientTools: specs, mask, ...parentId });
    const log = await options.store.create(options.id, metaWith(settings, { status: 'idle' }));
    const session = new Session({
      ...options,
      log,
      codec,
      timeline: conversationTimeline(codec),
      agent,
      tools,
      clientTools: specs,
      mask,
      workspace,
      snapshot: { name: snapshotName(options), head: 0 },
      ...parentId,
      ...(parent && { parentLedger: parent.ledger }),
    });
    try {
      await session.journal.emitPreamble();
    } catch (error) {
      await log[Symbol.asyncDispose]();
      await options.store.remove(options.id).catch(() => undefined);
      throw error;
    }
    return session;
  } catch (error) {
    await closeTools(agentTools);
    throw error;
  }
}

/**
 * Opens a stored conversation at the head of its log, and finishes a fork that was interrupted.
 *
 * @throws {AgentError} `invalid`, `tools-missing`, `policy-missing`, `incomplete`; {@link StorageError} `missing`,
 * `held` and what the store throws.
 */
export async function openSession(options: OpenOptions, parent?: ParentSession): Promise<Session> {
  const { id, store } = options;
  const codec = codecOf(options);
  const log = await store.open(id);
  let agentTools: ReadonlyMap<string, Tool> = new Map();
  try {
    // Read under the lease: before it, another process may have changed what is stored next to the log.
    const { meta } = await store.summary(id);
    checkImported(id, meta);
    const { title } = readMeta(meta);
    const fork = unfinishedFork(meta, await log.head());
    if (fork) await copyMissingEvents(fork, { store, log, codec });
    const { timeline, snapshot } = await foldedTimeline(log, codec, snapshotName(options));
    const logged = timeline.read('settings');
    // What is copied from before an import does not count in the fork either.
    const stored = fork?.imported ? { policies_head: fork.events } : storedSettings(logged, meta);
    const workspace = await workspaceOf(options, stored.workspace);
    const agent = resumeAgent(options.agent, stored, { id, policyUpdates: timeline.read('policies') });
    // Made once everything else is known to exist: a failure closes them, and a caller may have no others.
    const made = makeTools(options);
    agentTools = made.tools;
    const { tools, specs } = registerClientTools({
      id,
      agentTools,
      added: made.mask(options.clientTools ?? []),
      ...(Array.isArray(stored.client_tools) && { stored: stored.client_tools }),
      view: timeline.read('view'),
    });
    if (options.missingTools !== 'accept') {
      const { names } = timeline.read('toolsets');
      checkAgent({ kind: kindOf(stored.agent), tools: names }, { kind: kindOf(agent.spec), tools }, id);
    }
    const lastStamp = await lastTimestamp(log, codec);
    const session = new Session({
      ...options,
      log,
      codec,
      timeline,
      agent,
      tools,
      clientTools: specs,
      mask: made.mask,
      workspace,
      snapshot,
      // A fork has the settings of its origin in its log, and its own ones in the `meta`, until it is finished.
      ...(!fork && { metaDifferences: metaDifferences(logged, meta) }),
      ...(title !== undefined && { title }),
      // A fork has no parent: its usage is not charged to the origin's parent.
      ...(!fork && stored.parent !== undefined && { parent: stored.parent }),
      ...(parent && { parentLedger: parent.ledger }),
      ...(lastStamp !== undefined && { lastTimestamp: lastStamp }),
    });
    if (fork) await finishFork(fork, session, meta);
    return session;
  } catch (error) {
    await closeTools(agentTools);
    await log[Symbol.asyncDispose]();
    throw error;
  }
}

/** Ends what the origin of a fork had in progress. An append stores the `meta` too; without one it is stored alone. */
async function finishFork({ leaf, events, imported }: UnfinishedFork, session: Session, meta: Json): Promise<void> {
  const { journal, log, now } = session;
  const { head } = journal.timeline;
  if (imported) await journal.emit([importDraft({ events, at: now() })]);
  await journal.emitPreamble();
  await navigateTo(leaf ?? undefined, session);
  if (journal.timeline.head === head) await log.append([], { meta: withoutForkMark(meta) });
}

async function foldedTimeline(log: EventLog, codec: EventCodec, name: string) {
  const timeline = conversationTimeline(codec);
  const saved = await log.snapshots.latest(name);
  const head = saved && timeline.restore(saved.state) ? timeline.head : 0;
  await timeline.load((from) => log.range(from));
  return { timeline, snapshot: { name, head } };
}

function codecOf({ kinds = [] }: ConversationOptions): EventCodec {
  return eventCodec([...builtinKinds, ...kinds]);
}

function kindOf(agent: Json | undefined): string | undefined {
  const kind = typeof agent === 'object' && agent !== null && 'kind' in agent ? agent['kind'] : undefined;
  return typeof kind === 'string' ? kind : undefined;
}

function checkId(id: string): void {
  if (!/^[0-9a-f]{32}$/.test(id)) throw new AgentError('invalid', `The id ${JSON.stringify(id)} is not 32 hex digits.`);
}

async function workspaceOf({ id, workspace }: OpenOptions, stored: string | undefined): Promise<string> {
  const path = workspace ?? stored;
  if (path !== undefined) return directory(path);
  throw new AgentError('invalid', `Conversation ${id} has no stored workspace: pass one.`);
}

async function directory(path: string): Promise<string> {
  const info = await stat(path).catch(() => undefined);
  if (!info?.isDirectory()) throw new AgentError('invalid', `The workspace ${path} is not a directory.`);
  return realpath(path);
}

/** Makes the agent's tools for one conversation. @throws {AgentError} `invalid` when two have the same name. */
function makeTools({ agent, id, secrets = [] }: ConversationOptions & { readonly id: string }) {
  const found = redactor(secrets, { replacement: '<secret-hidden>' });
  const mask = found.value;
  const made = agent.tools({ conversationId: id, mask, redactor: found });
  const tools = new Map(made.map((tool) => [tool.name, tool]));
  if (tools.size === made.length) return { tools, mask };
  const names = made.map(({ name }) => name);
  const duplicate = names.find((name, index) => names.indexOf(name) !== index);
  throw new AgentError('invalid', `Two tools of the agent are called ${duplicate}.`);
}
