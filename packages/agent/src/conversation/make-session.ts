import { StorageError, type EventLog } from '@varve/storage';
import type { EventCodec } from '@varve/events';
import type { Mask } from '@varve/text';
import type { Tool, ClientToolSpec } from '@varve/tools';
import type { Agent } from '../agent/agent.ts';
import { SessionSettings } from '../agent/session-settings.ts';
import type { Session } from '../agent/session.ts';
import { BudgetLedger } from '../budget/budget-ledger.ts';
import { SessionHooks } from '../confirmation/hooks/session-hooks.ts';
import type { ConversationTimeline } from '../log/conversation-state.ts';
import { GoalTracker } from '../log/goal-tracker.ts';
import { Journal } from '../log/journal.ts';
import type { MetaDifference } from '../log/settings.ts';
import { offeredTool } from '../request/offered-tools.ts';
import { requestBuilder } from '../request/request.ts';
import { tokenCounters } from '../request/token-counter.ts';
import { callModel } from '../run/side-call.ts';
import { closeSession } from './lifetime.ts';

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
  /** Replaces secrets. */
  readonly mask: Mask;
  /** As that of the session. */
  readonly maskBeginning: (text: string) => string;
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

/** Returns the session of these parts. */
export function makeSession(parts: SessionParts): Session {
  const { log, timeline, codec, agent, tools, workspace, mask, clientTools, metaDifferences = [] } = parts;
  const { timeout = (ms) => AbortSignal.timeout(Math.ceil(ms)), now = Date.now } = parts;
  const wholeNow = (): number => Math.floor(now());
  const settings = new SessionSettings({ ...parts, policiesHead: timeline.read('policies').head });
  const lost = new AbortController();
  const { journal, goals } = journalOf(parts, settings, lost);
  const offered = [...tools.values()].map(offeredTool);
  const countTokens = tokenCounters(codec, offered);
  const { parameters } = agent;
  const buildRequest = requestBuilder({ codec, tools: offered, parameters, cacheKey: log.id, mask });
  const opened = { snapshot: parts.snapshot, calls: timeline.read('stats').total.calls };
  const current = {
    conversationId: log.id,
    journal,
    now: wholeNow,
    get agent(): Agent {
      return settings.agent;
    },
  };
  const session: Session = {
    conversationId: log.id,
    workspace,
    log,
    codec,
    tools,
    offered,
    clientTools,
    mask,
    maskBeginning: parts.maskBeginning,
    journal,
    settings,
    get agent() {
      return settings.agent;
    },
    hooks: new SessionHooks({
      config: agent.hooks,
      conversationId: log.id,
      workspace,
      mask,
      ask: (request, options) => callModel(request, { ...options, model: settings.agent.model }, session),
      timeout,
      sandbox: agent.sandbox,
    }),
    ledger: new BudgetLedger(current, parts.parentLedger),
    goals,
    metaDifferences,
    lost: lost.signal,
    now: wholeNow,
    timeout,
    prepareRequest: () => buildRequest(timeline.read('view')),
    requestTokens: () => countTokens(timeline.read('context'), timeline.read('view').events),
    onChildWaiting: undefined,
    close: () => closeSession(session, opened),
  };
  return session;
}

/** Makes the journal, and the tracker of goals whose events it stores before others. */
function journalOf(parts: SessionParts, settings: SessionSettings, lost: AbortController) {
  const { log, codec, timeline, mask, tools, agent, now = Date.now, newId, lastTimestamp } = parts;
  const journal: Journal = new Journal({
    log: watchLease(log, lost),
    codec,
    timeline,
    mask,
    toolNames: tools,
    metaOf: (status, goal) => settings.metaOf(status, goal),
    preamble: () => [...settings.changedDrafts(timeline), ...goals.abandonedDrafts()],
    now,
    ...(newId && { newId }),
    ...(lastTimestamp !== undefined && { lastTimestamp }),
    ...(agent.signingKey && { signer: agent.signingKey }),
  });
  const goals = new GoalTracker(journal);
  return { journal, goals };
}

/**
 * Wraps a log so that an append which finds that another process took the lease aborts `lost`, with the error as the
 * reason: nothing that is done afterwards could be stored.
 */
export function watchLease(log: EventLog, lost: AbortController): EventLog {
  const { id, atomicity, epoch, snapshots, proof } = log;
  return {
    id,
    atomicity,
    epoch,
    snapshots,
    ...(proof && { proof }),
    head: () => log.head(),
    range: (from, to) => log.range(from, to),
    at: (seq) => log.at(seq),
    seqOf: (eventId) => log.seqOf(eventId),
    tail: (from, signal) => log.tail(from, signal),
    append: async (events, options) => {
      try {
        return await log.append(events, options);
      } catch (error) {
        if (error instanceof StorageError && error.code === 'fenced') lost.abort(error);
        throw error;
      }
    },
    [Symbol.asyncDispose]: () => log[Symbol.asyncDispose](),
  };
}
