import { isDeepStrictEqual } from 'node:util';
import type { EventCodec, Json } from '@varve/events';
import type { ActionEvent } from '@varve/events/kinds';
import type { Settings } from '@varve/events/facts';
import type { Status } from '@varve/events/projections';
import type { Delta, ToolSpec } from '@varve/llm';
import type { EventLog } from '@varve/storage';
import type { Mask } from '@varve/text';
import type { Tool } from '@varve/tools';
import type { ClientToolSpec } from '@varve/tools/client';
import { defineAgent, type Agent, type AgentOptions } from './agent.ts';
import { BudgetLedger } from './budget/budget-ledger.ts';
import type { Delegation } from './delegation/delegation.ts';
import { GoalTracker } from './goal/goal-tracker.ts';
import type { ConversationTimeline } from './log/conversation-state.ts';
import { SessionHooks } from './hooks/session-hooks.ts';
import { settingsDraft, type Draft } from './log/drafts.ts';
import { Journal } from './log/journal.ts';
import type { GoalState } from './log/projections/goal-projection.ts';
import { watchLease } from './log/lease-watch.ts';
import { titleFrom } from './log/conversation-meta.ts';
import { metaWith, settingsOf, type MetaDifference } from './log/settings.ts';
import { offeredTool } from './request/offered-tools.ts';
import { tokenCounters, type RequestTokens } from './request/token-counter.ts';
import { requestBuilder, type PreparedRequest, type RequestBuilder } from './request/request.ts';
import { callModel } from './run/side-call.ts';
import type { StuckCause } from './stuck/stuck-rules.ts';

/** A snapshot is worth its bytes when it saves folding at least this many events. */
const minEventsPerSnapshot = 100;

/** Parts of a session, as creating or opening a conversation made them. */
export interface SessionParts {
  readonly log: EventLog;
  readonly codec: EventCodec;
  /** State folded up to the head of the log. */
  readonly timeline: ConversationTimeline;
  readonly agent: Agent;
  /** By name. Closed with the session. */
  readonly tools: ReadonlyMap<string, Tool>;
  readonly clientTools: readonly ClientToolSpec[];
  /** Sub-agents, for its tools. */
  readonly delegation: Delegation;
  /** Replaces secrets. */
  readonly mask: Mask;
  readonly workspace: string;
  readonly title?: string;
  /** Stored settings that differ from those in the log. */
  readonly metaDifferences?: readonly MetaDifference[];
  /** Id of the parent conversation. */
  readonly parent?: string;
  /** Ledger of the parent while it is open. */
  readonly parentLedger?: BudgetLedger;
  readonly snapshot: { readonly name: string; readonly head: number };
  /** Timestamp of the last stored event. */
  readonly lastTimestamp?: string;
  /** UTC milliseconds. */
  readonly now?: () => number;
  /** Returns a signal that aborts after this many milliseconds; default `AbortSignal.timeout`. */
  readonly timeout?: (ms: number) => AbortSignal;
  readonly newId?: () => string;
}

/**
 * One open conversation: its agent, tools, log, journal and budget. Everything that works on a conversation uses it.
 */
export class Session implements AsyncDisposable {
  readonly conversationId: string;
  readonly workspace: string;
  readonly log: EventLog;
  readonly codec: EventCodec;
  readonly tools: ReadonlyMap<string, Tool>;
  /** The tools as the model is offered them. */
  readonly offered: readonly ToolSpec[];
  readonly mask: Mask;
  readonly journal: Journal;
  readonly hooks: SessionHooks;
  readonly ledger: BudgetLedger;
  readonly goals: GoalTracker;
  readonly delegation: Delegation;
  /** Whole UTC milliseconds: facts have no fractions, timestamps do. */
  readonly now: () => number;
  readonly timeout: (ms: number) => AbortSignal;
  readonly metaDifferences: readonly MetaDifference[];
  readonly clientTools: readonly ClientToolSpec[];
  readonly #parts: SessionParts;
  readonly #policiesHead: number;
  readonly #callsBefore: number;
  readonly #buildRequest: RequestBuilder;
  readonly #tokenCounter: ReturnType<typeof tokenCounters>;
  readonly #lost = new AbortController();
  #agent: Agent;
  #title: string | undefined;
  #settings: Settings;
  /** Settings in the log that are known to equal the current ones. */
  #recorded: Settings | undefined;

  constructor(parts: SessionParts) {
    const { log, timeline, codec, agent, tools, workspace, now = Date.now, newId, mask, lastTimestamp } = parts;
    this.#parts = parts;
    this.#agent = agent;
    this.#title = parts.title;
    this.#settings = settingsOf(parts);
    this.clientTools = parts.clientTools;
    this.metaDifferences = parts.metaDifferences ?? [];
    this.#policiesHead = timeline.read('policies').head;
    this.#callsBefore = timeline.read('stats').total.calls;
    this.conversationId = log.id;
    this.workspace = workspace;
    this.log = log;
    this.codec = codec;
    this.tools = tools;
    this.mask = mask;
    this.now = () => Math.floor(now());
    this.timeout = parts.timeout ?? ((ms) => AbortSignal.timeout(Math.ceil(ms)));
    this.journal = new Journal({
      log: watchLease(log, this.#lost),
      codec,
      timeline,
      mask,
      toolNames: tools,
      metaOf: (status, goal) => this.#metaOf(status, goal),
      preamble: () => [...this.#changedSettings(), ...this.goals.abandonedDrafts()],
      now,
      ...(newId && { newId }),
      ...(lastTimestamp !== undefined && { lastTimestamp }),
      ...(agent.signingKey && { signer: agent.signingKey }),
    });
    this.delegation = parts.delegation;
    this.goals = new GoalTracker(this.journal);
    this.hooks = new SessionHooks({
      config: agent.hooks,
      conversationId: log.id,
      workspace,
      mask,
      ask: (request, options) => callModel(request, { ...options, model: this.#agent.model }, this),
      timeout: this.timeout,
    });
    this.ledger = new BudgetLedger(this, parts.parentLedger);
    const { parameters } = agent;
    this.offered = [...tools.values()].map(offeredTool);
    this.#tokenCounter = tokenCounters(codec, this.offered);
    this.#buildRequest = requestBuilder({ codec, tools: this.offered, parameters, cacheKey: log.id, mask });
  }

  get agent(): Agent {
    return this.#agent;
  }

  /** Aborts when another process takes the conversation over. */
  get lost(): AbortSignal {
    return this.#lost.signal;
  }

  /** Returns the request for the current view. */
  prepareRequest(): PreparedRequest {
    return this.#buildRequest(this.journal.timeline.read('view'));
  }

  /** Returns a counter of the tokens of its requests, corrected by the usage of its last reply. */
  requestTokens(): RequestTokens {
    const { timeline } = this.journal;
    return this.#tokenCounter(timeline.read('context'), timeline.read('view').events);
  }

  /** Replaces the agent from the next step on, with the same tools. */
  changeAgent(agent: AgentOptions): void {
    this.#agent = defineAgent(agent);
    this.#settings = settingsOf({ ...this.#parts, agent: this.#agent });
    this.#recorded = undefined;
  }

  /** Makes the first line of a user's message the title of a conversation without one. */
  suggestTitle(message: string): void {
    this.#title ??= titleFrom(this.mask(message));
  }

  /** Runs the last hooks, closes the tools, stores deferred events and a snapshot, and releases the lease. */
  async [Symbol.asyncDispose](): Promise<void> {
    const { journal } = this;
    const { snapshot } = this.#parts;
    const ended = await this.hooks.end();
    const problems = await closeTools(this.tools);
    try {
      await journal.catchUp();
      if (!this.lost.aborted) await journal.emit(ended.drafts);
      await this.#cacheTotals();
      const { head } = journal.timeline;
      if (head - snapshot.head >= minEventsPerSnapshot) {
        await this.log.snapshots.save(snapshot.name, { seq: head, state: journal.timeline.snapshot() });
      }
    } finally {
      await this.log[Symbol.asyncDispose]();
    }
    if (problems.length > 0) throw problems[0];
  }

  /**
   * Stores usage and tool names in the `meta`, once per session with calls, for the reference. Nothing reads them from
   * there, so a failure is ignored: the log contains both.
   */
  async #cacheTotals(): Promise<void> {
    const { timeline } = this.journal;
    const { total, byUsageId } = timeline.read('stats');
    if (total.calls === this.#callsBefore) return;
    const meta = this.#metaOf(timeline.read('status'), timeline.read('goal').goal) as { readonly [name: string]: Json };
    const usage = Object.fromEntries(Object.entries(byUsageId).map(([id, one]) => [id, { ...one }]));
    const cached = { ...meta, usage, tools: [...this.tools.keys()] };
    await this.log.append([], { meta: cached }).catch(() => undefined);
  }

  /** Records the settings when they differ from those in the log, or a policy was set by an event after them. */
  #changedSettings(): readonly Draft[] {
    const { timeline } = this.journal;
    const { settings, head } = timeline.read('settings');
    if (timeline.read('policies').head <= head) {
      if (settings && settings === this.#recorded) return [];
      if (isDeepStrictEqual(settings, this.#settings)) {
        this.#recorded = settings;
        return [];
      }
    }
    return [settingsDraft(this.#settings)];
  }

  #metaOf({ execution, title = this.#title }: Status, goal: GoalState | undefined): Json {
    const meta = metaWith(this.#settings, { status: execution, title });
    return {
      ...meta,
      ...(goal?.status === 'running' && { goal: 'running' }),
      ...(this.#policiesHead > 0 && { policies_head: this.#policiesHead }),
    };
  }
}

/** Closes every tool, even if another one fails to close. Resolves with the errors. */
export async function closeTools(tools: ReadonlyMap<string, Tool>): Promise<readonly unknown[]> {
  const closed = await Promise.allSettled([...tools.values()].map(async (tool) => tool.close()));
  return closed.flatMap((result) => (result.status === 'rejected' ? [result.reason as unknown] : []));
}

/** Input of one step. */
export interface StepContext {
  readonly signal: AbortSignal;
  /** Receives pieces of the reply in progress; provisional. Must not throw. */
  readonly onDelta?: (delta: Delta) => void;
  /** Receives output of a call in progress; provisional and not masked. Must not throw. */
  readonly onOutput?: (chunk: string, event: ActionEvent) => void;
  /** Reports whether the reply was written with the user's latest message in view. */
  readonly sawLatestUserMessage: () => boolean;
}

/** Result of one step. */
export type StepOutcome =
  | { readonly kind: 'continue' | 'finished' | 'asked' | 'waiting' | 'aborted' }
  | { readonly kind: 'stuck'; readonly cause: StuckCause }
  | { readonly kind: 'failed'; readonly error: Error };
