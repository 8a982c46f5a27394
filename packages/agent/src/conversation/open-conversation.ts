import { realpath, stat } from 'node:fs/promises';
import { eventCodec, type EventCodec, type Json } from '@varve/events';
import { builtinKinds } from '@varve/events/kinds';
import type { Status } from '@varve/events/projections';
import type { LanguageModel } from '@varve/llm';
import type { EventLog } from '@varve/storage';
import { defineAgent, type Agent } from '../agent.ts';
import { redactor, type Mask } from '@varve/text';
import type { Tool } from '@varve/tools';
import type { ClientToolSpec } from '@varve/tools/client';
import { checkAgent } from './check-agent.ts';
import { clientToolsOf } from './client-tools.ts';
import type { ConversationOptions, CreateOptions, OpenOptions } from './conversation-options.ts';
import { conversationTimeline, type ConversationTimeline } from '../log/conversation-state.ts';
import { digestOf } from '../log/digest.ts';
import { AgentError } from '../error.ts';
import { Journal } from '../log/journal.ts';
import { navigateTo } from './navigate.ts';
import { offeredTool } from '../request/offered-tools.ts';
import { requestBuilder } from '../request/request.ts';
import type { Session } from '../session.ts';
import { resumeAgent } from './resume-agent.ts';
import { asFinished, copyRest, unfinishedFork, type UnfinishedFork } from './unfinished-fork.ts';
import { watchedLog } from '../log/watched-log.ts';

/** The snapshot of a whole timeline, folded with these kinds: with others, the same log folds to another state. */
function snapshotName({ kinds = [] }: Pick<ConversationOptions, 'kinds'>): string {
  if (kinds.length === 0) return 'conversation';
  const names = kinds.map(({ kind }) => kind).toSorted();
  return `conversation-${digestOf(names.join(' ')).slice(0, 16)}`;
}

/** A snapshot is worth its bytes when it saves at least this many events of folding. */
const minEventsPerSnapshot = 100;

/** What a listing shows of a conversation, and what opening it again needs. */
interface Meta {
  readonly title?: string;
  readonly status: string;
  readonly workspace: string;
  readonly agent: Json;
  /** What the tools that its client carries out are made of. */
  readonly client_tools?: readonly Json[];
  /** The conversation that it works for. */
  readonly parent?: string;
  /** So many events of the log the agent knows of that may have set its policies, if any did. */
  readonly policies_head?: number;
}

/** The parts of an open conversation, made and taken down together. */
export class OpenConversation implements AsyncDisposable {
  readonly log: EventLog;
  readonly session: Session;
  readonly #snapshotHead: number;
  readonly #snapshotName: string;
  readonly mask: Mask;
  #title: string | undefined;
  readonly #clientTools: readonly ClientToolSpec[];
  readonly #policiesHead: number;
  readonly #parent: string | undefined;
  readonly #lost = new AbortController();
  #agent: Agent;

  private constructor(log: EventLog, timeline: ConversationTimeline, codec: EventCodec, options: SetupOptions) {
    const { agent, workspace, tools, title, snapshotHead, lastTimestamp, now = Date.now, newId, mask } = options;
    this.log = log;
    this.#agent = agent;
    this.#title = title;
    this.#policiesHead = timeline.read('policies').head;
    this.#clientTools = options.clientSpecs;
    this.#parent = options.parent;
    this.mask = mask;
    this.#snapshotHead = snapshotHead;
    this.#snapshotName = snapshotName(options);
    const offered = [...tools.values()].map(offeredTool);
    const journal = new Journal({
      log: watchedLog(log, this.#lost),
      codec,
      timeline,
      mask,
      toolNames: tools,
      metaOf: (status) => this.#meta(status, workspace, this.#agent.spec),
      now,
      ...(newId && { newId }),
      ...(lastTimestamp !== undefined && { lastTimestamp }),
      ...(agent.signingKey && { signer: agent.signingKey }),
    });
    const prepare = requestBuilder({ codec, tools: offered, parameters: agent.parameters, cacheKey: log.id, mask });
    const agentNow = (): Agent => this.#agent;
    this.session = {
      conversationId: log.id,
      get agent() {
        return agentNow();
      },
      tools,
      offered,
      journal,
      codec,
      workspace,
      prepare,
      // Facts hold whole milliseconds; a timestamp has place for fractions.
      now: () => Math.floor(now()),
    };
  }

  static async create(options: NewOptions): Promise<OpenConversation> {
    checkId(options.id);
    const workspace = await directory(options.workspace);
    const codec = codecOf(options);
    // The spec may be that of an agent which this one was made of.
    const agent = defineAgent(options.agent);
    const { tools: own, mask } = toolsOf(options);
    // Masked here, so that they are the same in the log, beside it and when they are given again.
    const { tools, specs } = await orClosed(own, async () =>
      clientToolsOf({ id: options.id, tools: own, given: mask(options.clientTools ?? []) }),
    );
    const { parent } = options;
    const works = parent === undefined ? {} : { parent };
    const meta: Meta = { status: 'idle', workspace, agent: agent.spec, ...keptSpecs(specs), ...works };
    const log = await orClosed(tools, () => options.store.create(options.id, { ...meta }));
    return new OpenConversation(log, conversationTimeline(codec), codec, {
      ...options,
      agent,
      workspace,
      tools,
      mask,
      clientSpecs: specs,
      snapshotHead: 0,
    });
  }

  static async open(options: OpenOptions): Promise<OpenConversation> {
    const codec = codecOf(options);
    const log = await options.store.open(options.id);
    let own: ReadonlyMap<string, Tool> = new Map();
    try {
      // Until the lease was ours somebody else may have changed what lies beside the log.
      const summary = await options.store.summary(options.id);
      const { workspace: known, title, client_tools: kept, parent, agent: before } = readMeta(summary.meta);
      const workspace = await workspaceOf(options, known);
      // Made once nothing about the conversation can be missing: a failure closes them, and a caller may have no others.
      const { tools: made, mask } = toolsOf(options);
      own = made;
      const fork = unfinishedFork(summary.meta);
      if (fork) await copyRest(fork, { store: options.store, log, codec });
      const timeline = conversationTimeline(codec);
      const snapshot = await log.snapshots.latest(snapshotName(options));
      const snapshotHead = snapshot && timeline.restore(snapshot.state) ? timeline.head : 0;
      await timeline.load((from) => log.range(from));
      const { id, clientTools = [] } = options;
      const agent = resumeAgent(options.agent, summary.meta, { id, policyUpdates: timeline.read('policies') });
      const view = timeline.read('view');
      const { tools, specs } = clientToolsOf({
        id,
        tools: own,
        given: mask(clientTools),
        ...(Array.isArray(kept) && { kept }),
        view,
      });
      if (options.missingTools !== 'accept') {
        const { names } = timeline.read('toolsets');
        checkAgent({ kind: kindOf(before), tools: names }, { kind: kindOf(agent.spec), tools }, id);
      }
      const lastTimestamp = await timestampOf(log, codec, timeline.head - 1);
      const opened = new OpenConversation(log, timeline, codec, {
        ...options,
        agent,
        workspace,
        tools,
        mask,
        clientSpecs: specs,
        snapshotHead,
        ...(title !== undefined && { title }),
        ...(parent !== undefined && { parent }),
        ...(lastTimestamp !== undefined && { lastTimestamp }),
      });
      if (fork) await opened.#settle(fork, summary.meta);
      return opened;
    } catch (error) {
      await closeAll(own);
      await log[Symbol.asyncDispose]();
      throw error;
    }
  }

  /** Ends what the original of a fork was at. An append brings the new configuration along; without one it comes alone. */
  async #settle({ leaf }: UnfinishedFork, meta: Json): Promise<void> {
    const { head } = this.session.journal.timeline;
    await navigateTo(leaf ?? undefined, this.log, this.session);
    if (this.session.journal.timeline.head === head) await this.log.append([], { meta: asFinished(meta) });
  }

  /** Aborts when the log turns out to be somebody else's. */
  get lost(): AbortSignal {
    return this.#lost.signal;
  }

  /** From the next step on another model is asked; the rest of the agent stays. */
  switchModel(model: LanguageModel): void {
    this.#agent = defineAgent({ ...this.#agent, model });
  }

  /** The first line of what the user said first names the conversation, unless it has a name. */
  suggestTitle(saying: string): void {
    const [line = ''] = this.mask(saying).trim().split('\n');
    if (line !== '') this.#title ??= line.length > 80 ? `${line.slice(0, 79)}…` : line;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const { tools, journal } = this.session;
    const problems = await closeAll(tools);
    try {
      await journal.catchUp();
      const { head } = journal.timeline;
      if (head - this.#snapshotHead >= minEventsPerSnapshot) {
        await this.log.snapshots.save(this.#snapshotName, { seq: head, state: journal.timeline.snapshot() });
      }
    } finally {
      await this.log[Symbol.asyncDispose]();
    }
    if (problems.length > 0) throw problems[0];
  }

  #meta({ execution, title = this.#title }: Status, workspace: string, agent: Json): Json {
    const kept = keptSpecs(this.#clientTools);
    const seen = this.#policiesHead > 0 ? { policies_head: this.#policiesHead } : {};
    const works = this.#parent === undefined ? {} : { parent: this.#parent };
    return { ...(title !== undefined && { title }), status: execution, workspace, agent, ...kept, ...works, ...seen };
  }
}

interface NewOptions extends CreateOptions {
  readonly id: string;
  /** The conversation that it works for. */
  readonly parent?: string;
}

interface SetupOptions extends ConversationOptions {
  readonly workspace: string;
  readonly tools: ReadonlyMap<string, Tool>;
  readonly mask: Mask;
  readonly clientSpecs: readonly ClientToolSpec[];
  readonly title?: string;
  readonly parent?: string;
  readonly snapshotHead: number;
  readonly lastTimestamp?: string;
}

/** Closes every tool, whatever happens to the others; gives what they threw. */
async function closeAll(tools: ReadonlyMap<string, Tool>): Promise<readonly unknown[]> {
  const closed = await Promise.allSettled([...tools.values()].map(async (tool) => tool.close()));
  return closed.flatMap((result) => (result.status === 'rejected' ? [result.reason as unknown] : []));
}

/** When there is no conversation in the end, nobody but us can close the tools made for it. */
async function orClosed<T>(tools: ReadonlyMap<string, Tool>, opening: () => Promise<T>): Promise<T> {
  try {
    return await opening();
  } catch (error) {
    await closeAll(tools);
    throw error;
  }
}

function keptSpecs(specs: readonly ClientToolSpec[]): Pick<Meta, 'client_tools'> {
  return specs.length === 0 ? {} : { client_tools: JSON.parse(JSON.stringify(specs)) as readonly Json[] };
}

function codecOf({ kinds = [] }: ConversationOptions): EventCodec {
  return eventCodec([...builtinKinds, ...kinds]);
}

function readMeta(meta: Json): Partial<Meta> {
  return typeof meta === 'object' && meta !== null && !Array.isArray(meta) ? (meta as Partial<Meta>) : {};
}

function kindOf(agent: Json | undefined): string | undefined {
  const kind = typeof agent === 'object' && agent !== null && 'kind' in agent ? agent['kind'] : undefined;
  return typeof kind === 'string' ? kind : undefined;
}

async function timestampOf(log: EventLog, codec: EventCodec, seq: number): Promise<string | undefined> {
  if (seq < 0) return undefined;
  const { timestamp } = codec.read((await log.at(seq)).text);
  return timestamp === '' ? undefined : timestamp;
}

function checkId(id: string): void {
  if (!/^[0-9a-f]{32}$/.test(id)) throw new AgentError('invalid', `The id ${JSON.stringify(id)} is not 32 hex digits.`);
}

async function workspaceOf({ id, workspace }: OpenOptions, known: string | undefined): Promise<string> {
  const path = workspace ?? known;
  if (path !== undefined) return directory(path);
  throw new AgentError('invalid', `Conversation ${id} does not say where it works: give a workspace.`);
}

async function directory(path: string): Promise<string> {
  const info = await stat(path).catch(() => undefined);
  if (!info?.isDirectory()) throw new AgentError('invalid', `The workspace ${path} is not a directory.`);
  return realpath(path);
}

/** A conversation's own tools. @throws {AgentError} `invalid` when two have one name. */
function toolsOf({ agent, id, secrets = [] }: ConversationOptions & { readonly id: string }) {
  const mask = redactor(secrets, { replacement: '<secret-hidden>' }).value;
  const made = agent.tools({ conversationId: id, mask });
  const tools = new Map(made.map((tool) => [tool.name, tool]));
  if (tools.size === made.length) return { tools, mask };
  const names = made.map(({ name }) => name);
  const twice = names.find((name, index) => names.indexOf(name) !== index);
  throw new AgentError('invalid', `Two tools of the agent are called ${twice}.`);
}
