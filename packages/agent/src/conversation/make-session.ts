import type { ConversationOptions } from './conversation-options.ts';
import { ChangingTools } from '../agent/changing-tools.ts';
import { SessionSettings } from '../agent/session-settings.ts';
import type { Session } from '../agent/session.ts';
import { BudgetLedger } from '../budget/budget-ledger.ts';
import { SessionHooks } from '../confirmation/hooks/session-hooks.ts';
import type { ConversationTimeline } from '../log/conversation-state.ts';
import { FileRecorder } from '../files/file-recorder.ts';
import { GoalTracker } from '../log/goal-tracker.ts';
import { Journal } from '../log/journal.ts';
import type { MetaDifference } from '../log/settings.ts';
import { SpanFeed } from '../log/span-feed.ts';
import { Snapshots, type StoredSnapshot } from '../log/stored-snapshots.ts';
import { offeredTool } from '../request/offered-tools.ts';
import { requestBuilder } from '../request/request.ts';
import { tokenCounters } from '../request/token-counter.ts';
import { callModel } from '../run/side-call.ts';
import { closeSession } from './lifetime.ts';

/** Parts of a session, as creating or opening a conversation made them. */
export interface SessionParts
  extends
    Pick<Session, 'log' | 'codec' | 'agent' | 'tools' | 'clientTools' | 'mask' | 'maskBeginning' | 'workspace'>,
    Pick<ConversationOptions, 'now' | 'timeout' | 'newId' | 'spans'> {
  /** State folded up to the head of the log. */
  readonly timeline: ConversationTimeline;
  readonly title?: string;
  /** Stored settings that differ from those in the log. */
  readonly metaDifferences?: readonly MetaDifference[];
  /** Id of the parent conversation. */
  readonly parent?: string;
  /** Ledger of the parent while it is open. */
  readonly parentLedger?: BudgetLedger;
  readonly snapshot: StoredSnapshot;
  /** Timestamp of the last stored event. */
  readonly lastTimestamp?: string;
}

/** Returns the session of these parts. */
export function makeSession(parts: SessionParts): Session {
  const { log, timeline, codec, agent, workspace, mask, clientTools, metaDifferences = [] } = parts;
  const tools = new Map(parts.tools);
  const { timeout = (ms) => AbortSignal.timeout(Math.ceil(ms)), now = Date.now } = parts;
  const wholeNow = (): number => Math.floor(now());
  const settings = new SessionSettings({ ...parts, policiesHead: timeline.read('policies').head });
  const lost = new AbortController();
  const { journal, goals } = journalOf({ ...parts, tools }, settings, lost);
  const changing = new ChangingTools(tools);
  const requestsOf = () => {
    const offered = [...tools.values()].map(offeredTool);
    const { parameters } = agent;
    const build = requestBuilder({ codec, tools: offered, parameters, cacheKey: log.id, mask });
    return { build, countTokens: tokenCounters(codec, offered) };
  };
  let requests = requestsOf();
  const { calls } = timeline.read('stats').total;
  const session: Session = {
    conversationId: log.id,
    workspace,
    log,
    codec,
    tools,
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
    ledger: new BudgetLedger({ conversationId: log.id, journal, now: wholeNow, settings }, parts.parentLedger),
    goals,
    snapshots: new Snapshots(log, timeline, parts.snapshot),
    metaDifferences,
    lost: lost.signal,
    now: wholeNow,
    timeout,
    updateTools: async (signal) => {
      const isChanged = await changing.update(signal).catch((error: unknown) => {
        // The step that asked ends in its own way.
        if (signal.aborted) return false;
        throw error;
      });
      if (isChanged) requests = requestsOf();
    },
    shownFiles: new Map(),
    files: new FileRecorder({
      isOn: agent.recordsFiles,
      workspace,
      mask,
      excluded: agent.protectedPaths,
      files: () => timeline.read('files'),
    }),
    prepareRequest: (view = timeline.read('view')) => requests.build(view),
    requestTokens: () => requests.countTokens(timeline.read('context'), timeline.read('view').events),
    executing: new Set(),
    onChildWaiting: undefined,
    close: () => closeSession(session, calls),
  };
  return session;
}

/** Makes the journal, and the tracker of goals whose events it stores before others. */
function journalOf(parts: SessionParts, settings: SessionSettings, lost: AbortController) {
  const { log, codec, timeline, mask, tools, agent, now = Date.now, newId, lastTimestamp, spans } = parts;
  const journal: Journal = new Journal({
    log,
    codec,
    timeline,
    mask,
    toolNames: tools,
    metaOf: (status, goal) => settings.metaOf(status, goal),
    preamble: () => [...settings.changedDrafts(timeline), ...goals.abandonedDrafts()],
    now,
    // Nothing that is done afterwards could be stored.
    onFenced: (error) => lost.abort(error),
    ...(spans && { spans: new SpanFeed({ log, codec, head: timeline.head, sink: spans }) }),
    ...(newId && { newId }),
    ...(lastTimestamp !== undefined && { lastTimestamp }),
    ...(agent.signingKey && { signer: agent.signingKey }),
  });
  const goals = new GoalTracker(journal);
  return { journal, goals };
}
