/** A piece of work among others, and what it must not share with those that run at the same time. */
export interface ScheduledTask {
  readonly locks: readonly string[];
  /** Runs when everything before it has ended, and nothing after it starts before it has. */
  readonly isExclusive: boolean;
  /** Resolves with whether those that have not started may still start. */
  readonly run: (signal: AbortSignal) => Promise<boolean>;
}

/**
 * Runs tasks, at most `limit` at once. Those that share a lock run one after the other, in order; those that do not may
 * overtake. Locks are taken all at once, so nothing waits for each other in a circle. Resolves when nothing runs any more.
 *
 * When one rejects, no other starts, those under way see their signal abort, and the first reason is thrown after they
 * have settled.
 */
export async function runScheduled(tasks: readonly ScheduledTask[], limit: number): Promise<void> {
  const waiting = [...tasks];
  const running = new Map<ScheduledTask, Promise<void>>();
  const failure = new AbortController();
  let mayStart = true;
  const run = async (task: ScheduledTask): Promise<void> => {
    try {
      mayStart = (await task.run(failure.signal)) && mayStart;
    } catch (error) {
      mayStart = false;
      if (!failure.signal.aborted) failure.abort(error);
    } finally {
      running.delete(task);
    }
  };
  for (;;) {
    const next = mayStart && running.size < limit ? nextOf(waiting, [...running.keys()]) : undefined;
    if (next) {
      waiting.splice(waiting.indexOf(next), 1);
      running.set(next, run(next));
    } else if (running.size > 0) await Promise.race(running.values());
    else break;
  }
  if (failure.signal.aborted) throw failure.signal.reason;
}

/** The first that nothing before it is in the way of. */
function nextOf(waiting: readonly ScheduledTask[], running: readonly ScheduledTask[]): ScheduledTask | undefined {
  const before = [...running];
  for (const task of waiting) {
    if (!before.some((other) => excludes(other, task))) return task;
    before.push(task);
  }
  return undefined;
}

function excludes(before: ScheduledTask, after: ScheduledTask): boolean {
  return before.isExclusive || after.isExclusive || before.locks.some((lock) => after.locks.includes(lock));
}
