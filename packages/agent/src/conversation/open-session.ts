import { realpath, stat } from 'node:fs/promises';
import { eventCodec, type EventCodec, type Json } from '@varve/events';
import { builtinKinds } from '@varve/events/kinds';
import { isPartSpec } from '@varve/events/specs';
import { isTakenOver, type EventLog } from '@varve/storage';
import { unlessMissing } from '@varve/storage/kit';
import { type Mask, redactor, type Redactor, withoutUndefined } from '@varve/text';
import type { Tool } from '@varve/tools';
import { defineAgent, type Agent } from '../agent/agent.ts';
import { closeUnowned, ownTools } from '../agent/toolset.ts';
import { delegationToolNames } from '../delegation/derived-agent.ts';
import { Delegation } from '../delegation/delegation.ts';
import { AgentError } from '../error.ts';
import { finishRewind } from './rewind-files.ts';
import { readMeta } from '../log/conversation-meta.ts';
import { conversationTimeline } from '../log/conversation-state.ts';
import { lastTimestamp } from '../log/read-log.ts';
import { forkEndDraft, importDraft, nudgeDraft, settingsDraft } from '../log/drafts.ts';
import type { LoggedSettings, UnfinishedFork } from '../log/projections/settings-projection.ts';
import {
  metaDifferences,
  metaWith,
  settingsOf,
  storedSettings,
  type MetaDifference,
  type StoredSettings,
} from '../log/settings.ts';
import { snapshotName } from '../log/stored-snapshots.ts';
import type { Session } from '../agent/session.ts';
import { closeTools } from './lifetime.ts';
import { makeSession, type SessionParts } from './make-session.ts';
import { invokeSkill, invocableSkills } from '@varve/skills';
import { registerClientTools } from './client-tools.ts';
import type { ConversationOptions, CreateOptions, OpenOptions } from './conversation-options.ts';
import { checkImported } from './import-conversation.ts';
import { checkRepaired } from './repair-conversation.ts';
import { navigateTo } from './navigate.ts';
import { checkAgent, resumeAgent } from './resume-agent.ts';
import { storedAgent } from './stored-agent.ts';
import { checkFork, copyMissingEvents, endsBeforeImport } from './unfinished-fork.ts';

/** Parent of a session, if it has one. */
export type ParentSession = Pick<Session, 'conversationId' | 'ledger'>;

/** An open session, and its sub-agents, which its tools start. */
export interface OpenedSession {
  readonly session: Session;
  readonly delegation: Delegation;
}

/** Creates a conversation for `Conversation.create`. */
export async function createSession(
  options: CreateOptions & { readonly id: string },
  parent?: ParentSession,
): Promise<OpenedSession> {
  const workspace = await directory(options.workspace);
  const codec = codecOf(options);
  // The spec may be that of an agent from which this one was derived.
  const agent = defineAgent(options.agent);
  const { tools: agentTools, mask, maskBeginning, delegation } = makeTools(options);
  try {
    // Masked here, so that they are equal in the log, next to it and when they are given again.
    const clientTools = mask(options.clientTools ?? []);
    const { tools, specs } = registerClientTools({ id: options.id, agentTools, added: clientTools });
    const parentId = parent && { parent: parent.conversationId };
    const settings = settingsOf({ agent, workspace, clientTools: specs, mask, ...parentId });
    const { owner } = parent ? await options.store.summary(parent.conversationId) : options;
    const log = await options.store.create(options.id, metaWith(settings, { status: 'idle' }), { owner });
    const session = makeSession({
      ...options,
      log,
      codec,
      timeline: conversationTimeline(codec),
      agent,
      tools,
      clientTools: specs,
      mask,
      maskBeginning,
      workspace,
      snapshot: { name: snapshotName(options), head: 0 },
      ...parentId,
      ...(parent && { parentLedger: parent.ledger }),
    });
    try {
      await session.journal.emitPreamble();
    } catch (error) {
      await log[Symbol.asyncDispose]();
      if (!isTakenOver(error)) await options.store.remove(options.id).catch(() => undefined);
      throw error;
    }
    return { session, delegation };
  } catch (error) {
    await closeTools(agentTools);
    throw error;
  }
}

/** Opens a stored conversation for `Conversation.open`, and finishes a fork that was interrupted. */
export async function openSession(options: OpenOptions, parent?: ParentSession): Promise<OpenedSession> {
  const codec = codecOf(options);
  const log = await options.store.open(options.id);
  try {
    const folded = await foldConversation(options, log, codec);
    const opened = await resumedSession(options, folded, parent);
    if (folded.fork) await finishFork(folded.fork, opened.session, { ...options, ...folded });
    else await finishRewind(opened.session);
    return opened;
  } catch (error) {
    await log[Symbol.asyncDispose]();
    throw error;
  }
}

/** A stored conversation, before it is opened. */
interface FoldedConversation extends Pick<SessionParts, 'log' | 'codec' | 'timeline' | 'snapshot'> {
  /** Set for a fork that is not complete, except that its events are copied. */
  readonly fork: UnfinishedFork | undefined;
  /** True for a fork that is not complete and copies only events that its origin imported. */
  readonly isOfImport: boolean;
  /** Settings that the conversation was last used with. */
  readonly stored: StoredSettings;
  readonly metaDifferences: readonly MetaDifference[];
  readonly title: string | undefined;
}

/** Folds a log under its lease: before it, another process may have changed what is stored next to the log. */
async function foldConversation(options: OpenOptions, log: EventLog, codec: EventCodec): Promise<FoldedConversation> {
  const { id, store } = options;
  const { meta } = await store.summary(id);
  checkImported(id, meta);
  await checkRepaired(log);
  const { timeline, snapshot } = await foldedTimeline(log, codec, snapshotName(options));
  const settings = timeline.read('settings');
  checkFork(id, meta, { head: timeline.head, settings });
  checkReadable(id, settings);
  const { fork } = settings;
  if (fork) {
    await copyMissingEvents(fork, { store, log, codec });
    await timeline.load((from) => log.range(from));
  }
  const isOfImport = fork !== undefined && (await endsBeforeImport(fork, { store, codec }));
  const [stored, { title }] = [storedSettings(settings, meta), readMeta(meta)];
  const differences = metaDifferences(settings, meta);
  return { log, codec, timeline, snapshot, fork, isOfImport, stored, title, metaDifferences: differences };
}

/** Refuses a log whose last settings are not known: those before may allow more. @throws {AgentError} `not-rebuilt`. */
function checkReadable(id: string, { unreadable }: LoggedSettings): void {
  if (unreadable === undefined) return;
  const what = `Conversation ${id} contains a fact ${unreadable} that this version cannot read`;
  throw new AgentError('not-rebuilt', `${what}, so its policy, limits and workspace are not known.`);
}

/**
 * Reports whether only the prompt of a log lists its client tools, as the reference and older versions wrote it. A
 * prompt of an imported log, also of one that was forked, adds no tool here.
 */
function isWithoutSettings({ settings, importHead }: LoggedSettings): boolean {
  return settings === undefined && importHead === undefined;
}

/** Returns the session of a folded conversation. If it fails, the tools are closed, and the log is not. */
async function resumedSession(
  options: OpenOptions,
  { timeline, stored, title, isOfImport, metaDifferences: differences, ...folded }: FoldedConversation,
  parent: ParentSession | undefined,
): Promise<OpenedSession> {
  const { id } = options;
  if (parent && stored.parent !== parent.conversationId) {
    throw new AgentError('invalid', `Conversation ${id} is not a child of conversation ${parent.conversationId}.`);
  }
  const workspace = await workspaceOf(options, stored.workspace);
  // The boundary that ends those of a bundle is stored with the end of the fork.
  const toolNames = isOfImport ? [] : timeline.read('toolsets').names;
  const usedAgent = options.agent ?? storedAgent({ id, settings: stored, toolNames }, options);
  const { registries } = options;
  const agent = resumeAgent(usedAgent, stored, { id, policyUpdates: timeline.read('policies'), registries });
  const lastStamp = await lastTimestamp(folded.log, folded.codec);
  // Made once everything else is known to exist: a failure closes them, and a caller may have no others.
  const { tools: agentTools, mask, maskBeginning, delegation } = makeTools({ ...options, agent: usedAgent });
  try {
    const { tools, specs } = registerClientTools({
      id,
      agentTools,
      added: mask(options.clientTools ?? []),
      ...(Array.isArray(stored.client_tools) && { stored: stored.client_tools }),
      ...(isWithoutSettings(timeline.read('settings')) && { view: timeline.read('view') }),
    });
    if (options.missingTools !== 'accept') {
      checkAgent({ kind: kindOf(stored.agent), tools: toolNames }, { kind: kindOf(agent.spec), tools }, id);
    }
    const session = makeSession({
      ...options,
      ...folded,
      timeline,
      agent,
      tools,
      clientTools: specs,
      mask,
      maskBeginning,
      workspace,
      metaDifferences: differences,
      ...withoutUndefined({ title, parent: stored.parent, lastTimestamp: lastStamp }),
      ...(parent && { parentLedger: parent.ledger }),
    });
    return { session, delegation };
  } catch (error) {
    await closeTools(agentTools);
    throw error;
  }
}

/**
 * Ends what the origin of a fork had in progress, and what was imported there later than the fork ends: the events that
 * it copied steer nothing here either. The model reads about another workspace. If it fails, the tools are closed.
 */
async function finishFork(
  fork: UnfinishedFork,
  session: Session,
  { store, isOfImport }: Pick<OpenOptions, 'store'> & Pick<FoldedConversation, 'isOfImport'>,
): Promise<void> {
  const { journal, workspace } = session;
  try {
    const at = Math.floor(session.now());
    const { settings } = journal.timeline.read('settings');
    const imported = isOfImport
      ? // The boundary ends the settings that the fork began with.
        [importDraft({ events: fork.events, at }), ...(settings ? [settingsDraft(settings)] : [])]
      : [];
    const origin = await unlessMissing(store.summary(fork.of));
    const { workspace: before = workspace } = readMeta(origin?.meta ?? {});
    // The copied events name paths of the other one.
    const line = `The working directory is now ${workspace}, no longer ${before}. Use paths in it, and read files again.`;
    const moved = workspace === before ? [] : [nudgeDraft(line)];
    await navigateTo(fork.leaf, session, [...imported, ...moved, forkEndDraft(fork.id, at)]);
  } catch (error) {
    await closeTools(session.tools);
    throw error;
  }
}

async function foldedTimeline(log: EventLog, codec: EventCodec, name: string) {
  const timeline = conversationTimeline(codec);
  const saved = await log.snapshots.latest(name);
  const head = saved && timeline.restore(saved.state) ? timeline.head : 0;
  await timeline.load((from) => log.range(from));
  return { timeline, snapshot: { name, head } };
}

function codecOf({ kinds = [] }: Pick<ConversationOptions, 'kinds'>): EventCodec {
  return eventCodec([...builtinKinds, ...kinds]);
}

function kindOf(agent: Json | undefined): string | undefined {
  return isPartSpec(agent) ? agent.kind : undefined;
}

async function workspaceOf({ id, workspace }: OpenOptions, stored: string | undefined): Promise<string> {
  const path = workspace ?? stored;
  if (path !== undefined) return directory(path);
  throw new AgentError('invalid', `Conversation ${id} has no stored workspace: pass one.`);
}

/** Returns the real path of a directory. @throws {AgentError} `invalid` for anything else. */
export async function directory(path: string): Promise<string> {
  const info = await stat(path).catch(() => undefined);
  if (!info?.isDirectory()) throw new AgentError('invalid', `The workspace ${path} is not a directory.`);
  return realpath(path);
}

function redactorOf({ secrets = [] }: ConversationOptions): Redactor {
  return redactor(secrets, { replacement: '<secret-hidden>' });
}

/** Returns the function that masks the secrets of a conversation. */
export function maskOf(options: ConversationOptions): Mask {
  return redactorOf(options).value;
}

/** Makes the tools of a conversation. @throws as {@link ownTools}, and {@link AgentError} as `checkDelegation`. */
function makeTools({ agent, id, ...options }: ConversationOptions & { readonly id: string }) {
  const usedRedactor = redactorOf({ agent, ...options });
  const mask = usedRedactor.value;
  const delegation = new Delegation(agent.subAgents);
  const agentTools = agent.tools({ conversationId: id, mask, redactor: usedRedactor, delegation });
  checkDelegation(agent, agentTools);
  const { skills, sandbox } = agent;
  const needsTool = invocableSkills(skills).length > 0 && !agentTools.some(({ name }) => name === 'invoke_skill');
  const made = needsTool ? [...agentTools, invokeSkill({ skills, mask, sandbox })] : agentTools;
  const maskBeginning = (text: string): string => usedRedactor.stream().push(text);
  return { tools: ownTools(made), mask, maskBeginning, delegation };
}

/** Tools of the same names may be the application's own, with which nothing is delegated. */
function checkDelegation({ subAgents }: Agent, made: readonly Tool[]): void {
  if (subAgents.length === 0 || made.some(({ name }) => delegationToolNames.includes(name))) return;
  void closeUnowned(made);
  throw new AgentError('invalid', 'The agent has subAgents, and none of the delegationTools.');
}
