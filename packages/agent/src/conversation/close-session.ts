import type { Tool } from '@varve/tools';
import type { Session } from '../agent/session.ts';

/** A snapshot is worth its bytes when it saves folding at least this many events. */
const minEventsPerSnapshot = 100;

/** State of the conversation when it was opened. */
export interface OpenedState {
  readonly snapshot: { readonly name: string; readonly head: number };
  /** Number of replies in its log. */
  readonly calls: number;
}

/** Runs the last hooks, closes the tools, stores a snapshot, and releases the lease. */
export async function closeSession(session: Omit<Session, 'close'>, { snapshot, calls }: OpenedState): Promise<void> {
  const { hooks, tools, journal, log, lost } = session;
  const ended = await hooks.end();
  const problems = await closeTools(tools);
  try {
    await journal.catchUp();
    if (!lost.aborted) await journal.emit(ended.drafts);
    await cacheTotals(session, calls);
    const { head } = journal.timeline;
    if (head - snapshot.head >= minEventsPerSnapshot) {
      await log.snapshots.save(snapshot.name, { seq: head, state: journal.timeline.snapshot() });
    }
  } finally {
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
  const closed = await Promise.allSettled([...tools.values()].map(async (tool) => tool.close()));
  return closed.flatMap((result) => (result.status === 'rejected' ? [result.reason as unknown] : []));
}
