import { HostError } from './error.ts';

/** A job in a queue. */
export interface QueuedJob {
  /** Removes the job; returns false if it has started. */
  cancel(): boolean;
}

/** Options of {@link RunQueue}. */
export interface RunQueueOptions {
  /** Number of jobs that wait from which on no other is admitted; default no limit. */
  readonly maxWaiting?: number | undefined;
  /** Number of runs of an owner, here and elsewhere, from which on no other is admitted; default no limit. */
  readonly maxByOwner?: number | undefined;
  /** Returns the number of runs of an owner that are active or wait, in all processes. */
  readonly countRuns?: ((owner: string) => Promise<number>) | undefined;
  /** Called when a job has ended and none waits. */
  readonly onRoom?: (() => void) | undefined;
  /** Clock in UTC milliseconds; default `Date.now`. */
  readonly now?: (() => number) | undefined;
}

/** The jobs of one owner in a queue. */
export interface OwnerQueue {
  /** Checks that another job may be added. @throws {HostError} `full` if too many wait, or the owner has too many. */
  admit(): Promise<void>;
  /** Adds a job, which must not reject. It starts now if there is room. */
  add(job: () => Promise<void>): QueuedJob;
}

/** Owner of a job, and the time at which it was added, or started. */
interface JobState {
  readonly owner: string;
  readonly since: number;
}

/**
 * Runs jobs concurrently up to a limit. The next one is the oldest of the owners of which the fewest run, so that one
 * with many jobs does not make the others wait for all of them.
 */
export class RunQueue {
  /** Number of jobs that wait outside of this queue for any process. */
  waitingElsewhere = 0;
  readonly #limit: number;
  readonly #options: RunQueueOptions;
  /** Jobs, the oldest first. */
  readonly #waiting = new Map<() => Promise<void>, JobState>();
  readonly #running = new Map<Promise<void>, JobState>();

  constructor(limit: number, options: RunQueueOptions = {}) {
    this.#limit = limit;
    this.#options = options;
  }

  /** Number of jobs that would start now. */
  get room(): number {
    return Math.max(0, this.#limit - this.#running.size - this.#waiting.size);
  }

  get running(): number {
    return this.#running.size;
  }

  get waiting(): number {
    return this.#waiting.size;
  }

  /** Milliseconds since the oldest job that runs started, and since the oldest one that waits was added; 0 for none. */
  get ages(): { readonly running: number; readonly waiting: number } {
    const now = this.#now();
    const ageOf = ([first]: Iterable<JobState>): number => Math.max(0, now - (first?.since ?? now));
    return { running: ageOf(this.#running.values()), waiting: ageOf(this.#waiting.values()) };
  }

  /** Checks that another job may be added. @throws {HostError} `full` if too many wait. */
  admit(): void {
    const waiting = this.waiting + this.waitingElsewhere;
    const { maxWaiting = Infinity } = this.#options;
    if (this.room === 0 && waiting >= maxWaiting) throw new HostError('full', `${waiting} runs wait for their turn.`);
  }

  /** Returns the queue for the jobs of an owner; the empty text is none, which has no limit of its own. */
  of(owner: string): OwnerQueue {
    const { maxByOwner = Infinity, countRuns } = this.#options;
    return {
      admit: async () => {
        this.admit();
        if (owner === '' || maxByOwner === Infinity || !countRuns || (await countRuns(owner)) < maxByOwner) return;
        throw new HostError('full', `${maxByOwner} runs of the owner ${owner} are active or wait.`);
      },
      add: (job) => {
        this.#waiting.set(job, { owner, since: this.#now() });
        this.#startNext();
        return { cancel: () => this.#waiting.delete(job) };
      },
    };
  }

  #next(): readonly [() => Promise<void>, JobState] {
    const counts = Map.groupBy(this.#running.values(), ({ owner }) => owner);
    const countOf = ({ owner }: JobState): number => counts.get(owner)?.length ?? 0;
    return this.#waiting.entries().reduce((least, job) => (countOf(job[1]) < countOf(least[1]) ? job : least));
  }

  #startNext(): void {
    if (this.#waiting.size === 0 || this.#running.size >= this.#limit) return;
    const [next, { owner }] = this.#next();
    this.#waiting.delete(next);
    const running = next().finally(() => {
      this.#running.delete(running);
      if (this.#waiting.size > 0) this.#startNext();
      else this.#options.onRoom?.();
    });
    this.#running.set(running, { owner, since: this.#now() });
  }

  #now(): number {
    return (this.#options.now ?? Date.now)();
  }
}

/** Returns a function that executes tasks one after another, in the order in which they are added. */
export function taskQueue(): <Result>(task: () => Promise<Result>) => Promise<Result> {
  let last: Promise<unknown> = Promise.resolve();
  return (task) => {
    const done = last.then(task);
    last = done.catch(() => undefined);
    return done;
  };
}

/** Returns a function that executes the tasks of each id one after another, in the order in which they are added. */
export function keyedQueue(): <Result>(id: string, task: () => Promise<Result>) => Promise<Result> {
  const last = new Map<string, Promise<unknown>>();
  return (id, task) => {
    const done = (last.get(id) ?? Promise.resolve()).then(task);
    const settled = done.catch(() => undefined);
    last.set(id, settled);
    void settled.then(() => last.get(id) === settled && last.delete(id));
    return done;
  };
}

/** Calls a function repeatedly, until the result is disposed; it does not keep the process running. */
export function repeatedly(ms: number, tick: () => void): Disposable {
  const timer = setInterval(tick, ms).unref();
  return { [Symbol.dispose]: () => clearInterval(timer) };
}
