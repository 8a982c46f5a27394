/** A job in a queue. */
export interface QueuedJob {
  /** Removes the job; returns false if it has started. */
  cancel(): boolean;
}

/** Runs jobs concurrently up to a limit; the others wait in order. */
export class RunQueue {
  readonly #limit: number;
  readonly #waiting = new Set<() => Promise<void>>();
  readonly #running = new Set<Promise<void>>();
  readonly #onRoom: () => void;

  /** @param onRoom Called when a job has ended and none waits. */
  constructor(limit: number, onRoom: () => void = () => undefined) {
    this.#limit = limit;
    this.#onRoom = onRoom;
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

  /** Adds a job, which must not reject. It starts now if there is room. */
  add(job: () => Promise<void>): QueuedJob {
    this.#waiting.add(job);
    this.#startNext();
    return { cancel: () => this.#waiting.delete(job) };
  }

  #startNext(): void {
    const [next] = this.#waiting;
    if (next === undefined || this.#running.size >= this.#limit) return;
    this.#waiting.delete(next);
    const running = next().finally(() => {
      this.#running.delete(running);
      if (this.#waiting.size > 0) this.#startNext();
      else this.#onRoom();
    });
    this.#running.add(running);
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
