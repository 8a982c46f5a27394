import type { EventCodec } from '@varve/events';
import type { View } from '@varve/events/projections';
import type { EventLog } from '@varve/storage';
import type { Mask } from '@varve/text';
import type { Tool, ClientToolSpec, ToolContext } from '@varve/tools';
import type { BudgetLedger } from '../budget/budget-ledger.ts';
import type { SessionHooks } from '../confirmation/hooks/session-hooks.ts';
import type { FileRecorder } from '../files/file-recorder.ts';
import type { GoalTracker } from '../log/goal-tracker.ts';
import type { Journal } from '../log/journal.ts';
import type { MetaDifference } from '../log/settings.ts';
import type { Snapshots } from '../log/stored-snapshots.ts';
import type { PreparedRequest } from '../request/request.ts';
import type { RequestTokens } from '../request/token-counter.ts';
import type { Agent } from './agent.ts';
import type { SessionSettings } from './session-settings.ts';
import type { AnswerWaitingChild } from './sub-agent-tasks.ts';

/** One open conversation: the services that everything uses which works on it. `open-session` makes and closes it. */
export interface Session {
  readonly conversationId: string;
  readonly workspace: string;
  readonly log: EventLog;
  readonly codec: EventCodec;
  /** By name. */
  readonly tools: ReadonlyMap<string, Tool>;
  readonly clientTools: readonly ClientToolSpec[];
  /** Replaces secrets. */
  readonly mask: Mask;
  /** Replaces secrets in the beginning of a text, and leaves out what may be the start of one at its end. */
  readonly maskBeginning: (text: string) => string;
  readonly journal: Journal;
  /** The agent of the next step, and the title. */
  readonly settings: SessionSettings;
  /** That of `settings`. */
  readonly agent: Agent;
  readonly hooks: SessionHooks;
  readonly ledger: BudgetLedger;
  readonly goals: GoalTracker;
  readonly snapshots: Snapshots;
  /** Stored settings that differ from those in the log. */
  readonly metaDifferences: readonly MetaDifference[];
  /** Aborts when another process takes the conversation over. */
  readonly lost: AbortSignal;
  /** Whole UTC milliseconds: facts have no fractions, timestamps do. */
  readonly now: () => number;
  /** Returns a signal that aborts after this many milliseconds. */
  readonly timeout: (ms: number) => AbortSignal;
  /** Asks the sources of tools what has changed, for the requests and calls from now on. */
  readonly updateTools: (signal: AbortSignal) => Promise<void>;
  /** Files as its calls last showed or wrote them. */
  readonly shownFiles: NonNullable<ToolContext['shownFiles']>;
  /** Records what its calls change. */
  readonly files: FileRecorder;
  /** Returns the request for a view, by default the current one. */
  readonly prepareRequest: (view?: View) => PreparedRequest;
  /** Returns what makes the counter of tokens for the current state, corrected by the usage of its last reply. */
  readonly requestTokens: () => () => RequestTokens;
  /** Ids of the calls that execute now and whose start no event records: their arguments cannot be changed any more. */
  readonly executing: Set<string>;
  /** Asks a person about calls of children during the current run. */
  onChildWaiting: AnswerWaitingChild | undefined;
  /** Runs the last hooks, closes the tools, stores a snapshot, and releases the lease. */
  readonly close: () => Promise<void>;
}
