/** A task, and what it must not share with tasks that run at the same time. */
export interface ScheduledTask {
  /** Names of resources; tasks that share one run one after the other. */
  readonly locks: readonly string[];
  /** Starts after every earlier task has ended, and ends before any later task starts. */
  readonly isExclusive: boolean;
  /** Resolves with true if tasks that have not started may still start. */
  readonly run: (signal: AbortSignal) => Promise<boolean>;
}

/**
 * Runs tasks, at most `limit` concurrently. Tasks that share a lock run one after the other, in order; others may
 * overtake. A task takes all its locks together, so there is no deadlock. Resolves when no task is running any more.
 *
 * When a task rejects, no other starts, the signal of running tasks aborts, and the first reason is thrown after they
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

/** Returns the first waiting task that no earlier task excludes. */
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
