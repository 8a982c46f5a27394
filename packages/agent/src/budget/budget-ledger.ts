import { runFact } from '@varve/events/facts';
import type { Usage } from '@varve/events/projections';
import { childDraft, runEndDraft, type Draft } from '../log/drafts.ts';
import type { Journal } from '../log/journal.ts';
import { type Budget, type Limits, spentOf, spentSince, type Spent } from './limits.ts';
import { reachedLimit, timeLimit, type ReachedLimit, type TimeLeft } from './reached-limit.ts';

/** Parts of a session that its ledger uses. */
export interface LedgerConversation {
  readonly conversationId: string;
  readonly settings: { readonly agent: { readonly budget: Budget } };
  readonly journal: Journal;
  /** Whole UTC milliseconds. */
  readonly now: () => number;
}

/** A run in progress, as far as it is limited and stopped. */
export interface LimitedRun {
  readonly limits: Limits;
  readonly signal: AbortSignal;
  /** Returns the time limit that was reached, if the signal aborted for that. */
  readonly overdue: () => ReachedLimit | undefined;
}

interface CountedRun extends LimitedRun {
  readonly before: Spent;
  /** Steps that were started during this run, by it and by descendants. */
  iterations: number;
  /** Start of its first step, UTC milliseconds. */
  since?: number;
}

const nothing: Spent = { costUsd: 0, tokens: 0, calls: 0 };

/**
 * Counts what an open conversation and its descendants use, against its limits and those of its ancestors. Checking and
 * claiming a step is synchronous, so that concurrent runs cannot both take the last one. Time counts once, however many
 * runs are active.
 */
export class BudgetLedger {
  readonly #conversation: LedgerConversation;
  readonly #parent: BudgetLedger | undefined;
  readonly #children = new Set<BudgetLedger>();
  #run: CountedRun | undefined;
  /** Event that began the active run, its own or that of a descendant, and the one that began the outermost run. */
  #begun: { readonly event: string; readonly run: string } | undefined;
  /** Number of active runs, its own and those of descendants; start of the first; milliseconds before it. */
  readonly #activity = { runs: 0, since: 0, msBefore: 0 };
  /** Number of its own replies when the current step started: until it grows, one call may be in flight and counts. */
  #repliesBefore: number | undefined;

  constructor(conversation: LedgerConversation, parent?: BudgetLedger) {
    this.#conversation = conversation;
    this.#parent = parent;
    if (parent) parent.#children.add(this);
  }

  /** Run of the nearest ancestor that has one. */
  get outerRun(): LimitedRun | undefined {
    return this.#ancestors.flatMap((ledger) => ledger.#run ?? [])[0];
  }

  /** Returns the tightest time limit of a run that would start now; undefined without one. */
  timeLeft(limits: LimitedRun['limits']): TimeLeft | undefined {
    const left = this.#selfAndAncestors.flatMap((ledger) => {
      const run = ledger === this ? limits : (ledger.#run?.limits ?? {});
      return timeLimit(run, ledger.#conversation.settings.agent.budget, ledger.#timesFor(this)) ?? [];
    });
    return left.toSorted((a, b) => a.leftMs - b.leftMs)[0];
  }

  /** Opens a run. */
  open(run: LimitedRun): void {
    this.#run = { ...run, before: this.#spent(), iterations: 0 };
  }

  /** Returns the first limit that is reached, here or in an ancestor. */
  reachedLimit(): ReachedLimit | undefined {
    for (const ledger of this.#selfAndAncestors) {
      const { limits = {}, before = nothing, iterations = 0 } = ledger.#run ?? {};
      const now = ledger.#spent();
      const used = { ...ledger.#timesFor(this), iterations, now, ofRun: spentSince(before, now) };
      const limit = reachedLimit(limits, ledger.#conversation.settings.agent.budget, used);
      if (limit) return limit;
    }
    return undefined;
  }

  /** Claims a step, or returns the first limit that is reached, here or in an ancestor. */
  takeStep(): ReachedLimit | undefined {
    const limit = this.reachedLimit();
    if (limit) return limit;
    for (const ledger of this.#selfAndAncestors) if (ledger.#run) ledger.#run.iterations += 1;
    const { timeline } = this.#conversation.journal;
    // A step that executes pending calls does not ask the model.
    this.#repliesBefore = timeline.read('pending').length > 0 ? undefined : this.#replies;
    return undefined;
  }

  /** Marks the run as started, in the logs of the ancestors first. Returns the events to append to its own log. */
  async startWork(): Promise<readonly Draft[]> {
    const at = this.#conversation.now();
    if (this.#run) this.#run.since = at;
    const enteredDrafts = this.#enter(at);
    const above = this.#ancestors.map((ledger) => ({ ledger, drafts: ledger.#enter(at) }));
    for (const { ledger, drafts } of above.toReversed()) await ledger.#conversation.journal.emit(drafts);
    return enteredDrafts;
  }

  /** Marks the run as ended, in its own log and in those of the ancestors. */
  async end(): Promise<void> {
    for (const { ledger, drafts } of this.#leave()) await ledger.#conversation.journal.emit(drafts);
  }

  /** Ends a run that failed: nothing more is written to its log, and failures to write to others are ignored. */
  async abandon(): Promise<void> {
    const [, ...above] = this.#leave();
    for (const { ledger, drafts } of above) await ledger.#conversation.journal.emit(drafts).catch(() => undefined);
  }

  /** Stores unreported usage in the logs of the ancestors. */
  async reportUsage(): Promise<void> {
    this.#repliesBefore = undefined;
    await this.reportTotals();
  }

  /** Stores unreported usage in the logs of the ancestors, also while a step is in progress. */
  async reportTotals(): Promise<void> {
    for (const ledger of this.#selfAndAncestors) await ledger.#reportToParent();
  }

  /** Removes it from its parent's total of unreported usage. */
  close(): void {
    const parent = this.#parent;
    if (parent) parent.#children.delete(this);
  }

  get #ancestors(): readonly BudgetLedger[] {
    return this.#parent ? this.#parent.#selfAndAncestors : [];
  }

  get #selfAndAncestors(): readonly BudgetLedger[] {
    return [this, ...this.#ancestors];
  }

  get #used(): Usage {
    return this.#conversation.journal.timeline.read('stats').total;
  }

  /** Replies of its agent's model; usage of titles and children has other ids. */
  get #replies(): number {
    return this.#conversation.journal.timeline.read('stats').byUsageId['agent']?.calls ?? 0;
  }

  /** Returns its usage, including a reply in flight and the unreported usage of open children. */
  #spent(): Spent {
    const { total, byUsageId } = this.#conversation.journal.timeline.read('stats');
    const all = spentOf(total);
    const spent: Spent = { ...all, calls: all.calls + (this.#repliesBefore === this.#replies ? 1 : 0) };
    return [...this.#children].reduce(({ costUsd, tokens, calls }, child) => {
      const reported = byUsageId[child.#usageId];
      const unreported = spentSince(reported ? spentOf(reported) : nothing, child.#spent());
      return {
        costUsd: costUsd + unreported.costUsd,
        tokens: tokens + unreported.tokens,
        calls: calls + unreported.calls,
      };
    }, spent);
  }

  get #usageId(): string {
    return `child:${this.#conversation.conversationId}`;
  }

  async #reportToParent(): Promise<void> {
    const parent = this.#parent;
    if (!parent) return;
    const { conversationId, now } = this.#conversation;
    const { journal } = parent.#conversation;
    await journal.emit(() => {
      const used = this.#used;
      const reported = journal.timeline.read('stats').byUsageId[this.#usageId];
      const isReported =
        reported !== undefined && JSON.stringify(reported) === JSON.stringify({ ...reported, ...used });
      return isReported ? [] : [childDraft(conversationId, used, now())];
    });
  }

  /** Returns its times for the messages of `asking`; with its id, unless it is `asking` itself. */
  #timesFor(asking: BudgetLedger) {
    const { runs, since, msBefore } = this.#activity;
    const { conversationId: of, journal, now } = this.#conversation;
    const at = runs > 0 ? now() : since;
    return {
      runMs: this.#run?.since === undefined ? 0 : at - this.#run.since,
      activeMs: runs > 0 ? msBefore + at - since : journal.timeline.read('activity').ms,
      ...(asking !== this && { of }),
    };
  }

  #enter(at: number): readonly Draft[] {
    this.#activity.runs += 1;
    if (this.#activity.runs > 1) return [];
    this.#activity.since = at;
    this.#activity.msBefore = this.#conversation.journal.timeline.read('activity').ms;
    return [this.#beginDraft(at)];
  }

  /** Records that a run begins. Those of the ancestors have begun before it is stored. */
  #beginDraft(at: number): Draft {
    return {
      make: (stamp) => {
        const within = this.#place();
        this.#begun = { event: stamp.id, run: within?.run ?? stamp.id };
        return runFact.create({ state: 'begun', at, ...(within && { within }) }, stamp);
      },
    };
  }

  /** Returns the place of a run in the active run of the parent. */
  #place() {
    const parent = this.#parent;
    const outer = parent && parent.#begun;
    if (!outer) return undefined;
    const tasks = parent.#conversation.journal.timeline.read('tasks');
    const task = tasks.findLast(({ conversationId }) => conversationId === this.#conversation.conversationId);
    return { run: outer.run, event: task?.actionId ?? outer.event, ...(task && { agent: task.subAgent }) };
  }

  /** Marks the run as ended; returns the events for this ledger's log and for those of its ancestors. */
  #leave(): readonly { readonly ledger: BudgetLedger; readonly drafts: readonly Draft[] }[] {
    const hasStarted = this.#run?.since !== undefined;
    this.#run = undefined;
    this.#repliesBefore = undefined;
    // A run that ends before its first step must not end an earlier run that a crash cut off.
    if (!hasStarted) return [];
    return this.#selfAndAncestors.map((ledger) => {
      ledger.#activity.runs -= 1;
      if (ledger.#activity.runs === 0) ledger.#begun = undefined;
      return { ledger, drafts: ledger.#activity.runs === 0 ? [runEndDraft(ledger.#conversation.now())] : [] };
    });
  }
}
