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
  /** Called when a job has ended and none waits. */
  readonly onRoom?: (() => void) | undefined;
  /** Clock in UTC milliseconds; default `Date.now`. */
  readonly now?: (() => number) | undefined;
}

/** Runs jobs concurrently up to a limit; the others wait in order. */
export class RunQueue {
  /** Number of jobs that wait outside of this queue for any process. */
  waitingElsewhere = 0;
  readonly #limit: number;
  readonly #options: RunQueueOptions;
  /** Jobs, the oldest first, with the times at which they were added, or started. */
  readonly #waiting = new Map<() => Promise<void>, number>();
  readonly #running = new Map<Promise<void>, number>();

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
    const ageOf = ([since = now]: Iterable<number>): number => Math.max(0, now - since);
    return { running: ageOf(this.#running.values()), waiting: ageOf(this.#waiting.values()) };
  }

  /** Checks that another job may be added. @throws {HostError} `full` if too many wait. */
  admit(): void {
    const waiting = this.waiting + this.waitingElsewhere;
    const { maxWaiting = Infinity } = this.#options;
    if (this.room === 0 && waiting >= maxWaiting) throw new HostError('full', `${waiting} runs wait for their turn.`);
  }

  /** Adds a job, which must not reject. It starts now if there is room. */
  add(job: () => Promise<void>): QueuedJob {
    this.#waiting.set(job, this.#now());
    this.#startNext();
    return { cancel: () => this.#waiting.delete(job) };
  }

  #startNext(): void {
    const [next] = this.#waiting.keys();
    if (next === undefined || this.#running.size >= this.#limit) return;
    this.#waiting.delete(next);
    const running = next().finally(() => {
      this.#running.delete(running);
      if (this.#waiting.size > 0) this.#startNext();
      else this.#options.onRoom?.();
    });
    this.#running.set(running, this.#now());
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
