import type { Tool } from '@varve/tools';
import type { Session } from '../agent/session.ts';
import { AgentError } from '../error.ts';
import type { RunLock } from '../run/run-lock.ts';

/**
 * Life of an open conversation: until it is closed, or another process takes it over. Closing it interrupts its run,
 * closes its children concurrently, and releases the session.
 */
export class Lifetime {
  readonly #session: Session;
  readonly #runLock: RunLock;
  readonly #parent: Lifetime | undefined;
  readonly #children = new Map<Lifetime, AsyncDisposable>();
  /** Ends side questions, direct calls and titles. */
  readonly #closeSignal = new AbortController();
  #closing: Promise<void> | undefined;

  constructor(session: Session, runLock: RunLock, parent?: Lifetime) {
    this.#session = session;
    this.#runLock = runLock;
    this.#parent = parent;
  }

  /** @throws {AgentError} `closed`, `taken-over`. */
  assertUsable(): void {
    const { conversationId: id, lost } = this.#session;
    if (this.#closing) throw new AgentError('closed', `Conversation ${id} was closed.`);
    const { aborted, reason: cause } = lost;
    if (aborted) throw new AgentError('taken-over', `Conversation ${id} was taken over by another process.`, { cause });
  }

  /** Returns a signal that aborts when the conversation is closed or lost, or `signal` aborts. */
  abortOnClose(signal?: AbortSignal): AbortSignal {
    return AbortSignal.any([this.#closeSignal.signal, this.#session.lost, ...(signal ? [signal] : [])]);
  }

  /**
   * Makes a child close with its parent, and counts the usage that the child has already. A child that is added while
   * the parent closes, or whose usage cannot be counted, is closed.
   *
   * @throws {AgentError} `closed`, `taken-over`; {@link StorageError} what the store throws.
   */
  async adopt<T extends AsyncDisposable>(child: T, lifetime: Lifetime): Promise<T> {
    this.#children.set(lifetime, child);
    try {
      this.assertUsable();
      await lifetime.#session.ledger.reportUsage();
      return child;
    } catch (error) {
      // The first error matters more than a failure to close.
      await Promise.allSettled([child[Symbol.asyncDispose]()]);
      throw error;
    }
  }

  /** Closes the conversation and its children. Idempotent. Rejects with the first failure, after all was tried. */
  async close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  async #close(): Promise<void> {
    this.#closeSignal.abort();
    // Concurrently, because a tool of the run may wait for a child that started before it.
    const ends = [
      this.#runLock.interrupt(),
      ...[...this.#children.values()].map(async (child) => child[Symbol.asyncDispose]()),
    ];
    const closed = await Promise.allSettled(ends);
    const { ledger } = this.#session;
    try {
      await ledger.reportUsage();
    } finally {
      ledger.close();
      if (this.#parent) this.#parent.#children.delete(this);
      await this.#session.close();
    }
    for (const result of closed) if (result.status === 'rejected') throw result.reason;
  }
}

/** A snapshot is worth its bytes when it saves folding at least this many events. */
const minEventsPerSnapshot = 100;

/**
 * Runs the last hooks, closes the tools, stores a snapshot, and releases the lease. `calls` is the number of replies in
 * the log when it was opened.
 */
export async function closeSession(session: Omit<Session, 'close'>, calls: number): Promise<void> {
  const { hooks, tools, journal, log, lost, snapshots, files } = session;
  const ended = await hooks.end();
  const problems = await closeTools(tools);
  try {
    await journal.catchUp();
    if (!lost.aborted) await journal.emit([...ended.drafts, ...(await files.lastCheck())]);
    await cacheTotals(session, calls);
    await snapshots.save(minEventsPerSnapshot);
  } finally {
    await files.close();
    await log[Symbol.asyncDispose]();
  }
  if (problems.length > 0) throw problems[0];
}

/**
 * Stores usage and tool names in the `meta`, once per session with calls, for the reference. Nothing reads them from
 * there, so a failure is ignored: the log contains both.
 */
async function cacheTotals({ journal, settings, log, tools }: Omit<Session, 'close'>, calls: number): Promise<void> {
  const { timeline } = journal;
  const { total, byUsageId } = timeline.read('stats');
  if (total.calls === calls) return;
  const meta = settings.metaOf(timeline.read('status'), timeline.read('goal').goal);
  const usage = Object.fromEntries(Object.entries(byUsageId).map(([id, totals]) => [id, { ...totals }]));
  await log.append([], { meta: { ...meta, usage, tools: [...tools.keys()] } }).catch(() => undefined);
}

/** Closes every tool, even if another one fails to close. Resolves with the errors. */
export async function closeTools(tools: ReadonlyMap<string, Tool>): Promise<readonly unknown[]> {
  const closed = await Promise.allSettled([...tools.values()].map(async (tool) => tool.close?.()));
  return closed.flatMap((result) => (result.status === 'rejected' ? [result.reason as unknown] : []));
}
