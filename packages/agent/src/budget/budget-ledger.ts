import type { Usage } from '@varve/events/projections';
import { childDraft, runDraft, type Draft } from '../log/drafts.ts';
import type { Journal } from '../log/journal.ts';
import type { Budget, Limits } from './limits.ts';
import { reachedLimit, timeLimit, type ReachedLimit, type TimeLeft } from './reached-limit.ts';
import { spentOf, spentSince, type Spent } from './spent.ts';

/** The conversation that a ledger keeps count of. */
export interface CountedConversation {
  readonly conversationId: string;
  readonly agent: { readonly budget: Budget };
  readonly journal: Journal;
  /** Whole UTC milliseconds. */
  readonly now: () => number;
}

/** How a run under way is limited and stopped. */
export interface LimitedRun {
  readonly limits: Limits & { readonly maxMs?: number };
  readonly signal: AbortSignal;
  /** The limit whose time is over, when the signal aborted for that. */
  readonly overdue: () => ReachedLimit | undefined;
}

interface CountedRun extends LimitedRun {
  readonly before: Spent;
  /** Steps that were begun while it is under way, its own and those on its behalf. */
  iterations: number;
  /** When its first step began, UTC milliseconds. */
  since?: number;
}

const nothing: Spent = { costUsd: 0, tokens: 0, calls: 0 };

/**
 * What an open conversation uses, and what is used on its behalf, held against its limits and those of the conversation
 * that it works for. Who begins a step is counted in the same turn in which it asked whether it may, so that several at
 * once cannot take the last one. Time passes once, however many are at work.
 */
export class BudgetLedger {
  readonly #conversation: CountedConversation;
  readonly #parent: BudgetLedger | undefined;
  readonly #children = new Set<BudgetLedger>();
  #run: CountedRun | undefined;
  /** How many runs are under way, its own and those on its behalf, since when, and what was worked before. */
  readonly #work = { runs: 0, since: 0, msBefore: 0 };
  /** Its own replies when the step under way began: until there is another one, a call counts that may be on its way. */
  #repliesBefore: number | undefined;

  constructor(session: CountedConversation, parent?: BudgetLedger) {
    this.#conversation = session;
    this.#parent = parent;
    if (parent) parent.#children.add(this);
  }

  /** The run under way, nearest above, of those that this one works for. */
  get outerRun(): LimitedRun | undefined {
    const [, ...above] = this.#lineage;
    return above.flatMap((ledger) => ledger.#run ?? [])[0];
  }

  /** What leaves a run least time that would begin now; undefined when nothing limits it. */
  timeLeft(limits: LimitedRun['limits']): TimeLeft | undefined {
    const left = this.#lineage.flatMap((ledger) => {
      const run = ledger === this ? limits : (ledger.#run?.limits ?? {});
      return timeLimit(run, ledger.#conversation.agent.budget, ledger.#times(this)) ?? [];
    });
    return left.toSorted((one, other) => one.leftMs - other.leftMs)[0];
  }

  /** A run is under way from now on. */
  open(run: LimitedRun): void {
    this.#run = { ...run, before: this.#spent(), iterations: 0 };
  }

  /** The first limit that is reached, here or above. When there is none, a step has begun. */
  takeStep(): ReachedLimit | undefined {
    for (const ledger of this.#lineage) {
      const { limits = {}, before = nothing, iterations = 0 } = ledger.#run ?? {};
      const now = ledger.#spent();
      const uses = { ...ledger.#times(this), iterations, now, ofRun: spentSince(before, now) };
      const limit = reachedLimit(limits, ledger.#conversation.agent.budget, uses);
      if (limit) return limit;
    }
    for (const ledger of this.#lineage) if (ledger.#run) ledger.#run.iterations += 1;
    const { timeline } = this.#conversation.journal;
    // A step that has calls to carry out asks no model.
    this.#repliesBefore = timeline.read('pending').length > 0 ? undefined : this.#replies;
    return undefined;
  }

  /** The run begins to work; gives what tells so in its log. Whom it works for is told before. */
  async startWork(): Promise<readonly Draft[]> {
    const at = this.#conversation.now();
    if (this.#run) this.#run.since = at;
    const [own, ...above] = this.#lineage.map((ledger) => ({ ledger, drafts: ledger.#enter(at) }));
    for (const { ledger, drafts } of above.toReversed()) await ledger.#conversation.journal.emit(drafts);
    return own?.drafts ?? [];
  }

  /** The run has ended. */
  async end(): Promise<void> {
    for (const { ledger, drafts } of this.#leave()) await ledger.#conversation.journal.emit(drafts);
  }

  /** The run broke off. Nothing more is written into its log, and why matters more than what others cannot write. */
  async abandon(): Promise<void> {
    const [, ...above] = this.#leave();
    for (const { ledger, drafts } of above) await ledger.#conversation.journal.emit(drafts).catch(() => undefined);
  }

  /** Tells those that it works for what it has used, where they do not know it yet. */
  async reportUsage(): Promise<void> {
    this.#repliesBefore = undefined;
    for (const ledger of this.#lineage) await ledger.#reportToParent();
  }

  /** It has no part any more in what is used at once. */
  close(): void {
    const parent = this.#parent;
    if (parent) parent.#children.delete(this);
  }

  /** This one, whom it works for, and so on. */
  get #lineage(): readonly BudgetLedger[] {
    const parent = this.#parent;
    return parent ? [this, ...parent.#lineage] : [this];
  }

  get #used(): Usage {
    return this.#conversation.journal.timeline.read('stats').total;
  }

  /** Of its agent's model: what others use counts under other ids. */
  get #replies(): number {
    return this.#conversation.journal.timeline.read('stats').byUsageId['agent']?.calls ?? 0;
  }

  /** With the reply that it waits for, and what those that work for it have used, and not told yet. */
  #spent(): Spent {
    const { total, byUsageId } = this.#conversation.journal.timeline.read('stats');
    const all = spentOf(total);
    const own: Spent = { ...all, calls: all.calls + (this.#repliesBefore === this.#replies ? 1 : 0) };
    return [...this.#children].reduce(({ costUsd, tokens, calls }, child) => {
      const told = byUsageId[child.#usageId];
      const untold = spentSince(told ? spentOf(told) : nothing, child.#spent());
      return { costUsd: costUsd + untold.costUsd, tokens: tokens + untold.tokens, calls: calls + untold.calls };
    }, own);
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
      const told = journal.timeline.read('stats').byUsageId[this.#usageId];
      const isTold = told !== undefined && JSON.stringify(told) === JSON.stringify({ ...told, ...used });
      return isTold ? [] : [childDraft(conversationId, used, now())];
    });
  }

  /** How long it has been at work; named, unless it is the one that asks. */
  #times(asking: BudgetLedger) {
    const { runs, since, msBefore } = this.#work;
    const { conversationId: of, journal, now } = this.#conversation;
    const at = runs > 0 ? now() : since;
    return {
      runMs: this.#run?.since === undefined ? 0 : at - this.#run.since,
      activeMs: runs > 0 ? msBefore + at - since : journal.timeline.read('activity').ms,
      ...(asking !== this && { of }),
    };
  }

  #enter(at: number): readonly Draft[] {
    this.#work.runs += 1;
    if (this.#work.runs > 1) return [];
    this.#work.since = at;
    this.#work.msBefore = this.#conversation.journal.timeline.read('activity').ms;
    return [runDraft('begun', at)];
  }

  /** Nobody is at work for this run any more; what tells so, from here upwards. */
  #leave(): readonly { readonly ledger: BudgetLedger; readonly drafts: readonly Draft[] }[] {
    const hasBegun = this.#run?.since !== undefined;
    this.#run = undefined;
    this.#repliesBefore = undefined;
    // A run that ends before it begins must not end one that a crash cut off: that one did not work until now.
    if (!hasBegun) return [];
    return this.#lineage.map((ledger) => {
      ledger.#work.runs -= 1;
      return { ledger, drafts: ledger.#work.runs === 0 ? [runDraft('ended', ledger.#conversation.now())] : [] };
    });
  }
}
