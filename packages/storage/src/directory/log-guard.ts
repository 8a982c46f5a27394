import { StorageError } from '../contract/error.ts';
import type { LogContext } from './log-context.ts';

/** Detects that another process took over the lease of a log, or changed the log without taking the lease. */
export class LogGuard {
  readonly #context: Pick<LogContext, 'id' | 'lease' | 'index'>;
  /** Version of the index that the caller knows. */
  #version: number;

  constructor(context: Pick<LogContext, 'id' | 'lease' | 'index'>) {
    this.#context = context;
    this.#version = context.index.version;
  }

  /**
   * Checks the lease and the names in `events/`. A change by another process is reported once; the next check accepts
   * it.
   *
   * @throws {StorageError} `fenced`, or `conflict` if the log was changed without the lease.
   */
  check(): void {
    const { id, lease, index } = this.#context;
    lease.check();
    index.rescanIfChanged();
    if (index.version === this.#version) return;
    this.#version = index.version;
    throw this.conflict(`Another process changed conversation ${id}: it has ${index.head} events now.`);
  }

  /** Accepts a change that this process made. */
  accept(): void {
    this.#version = this.#context.index.version;
  }

  /**
   * Returns a `conflict`, which a caller may retry.
   *
   * @throws {StorageError} `fenced` if the lease was taken over first.
   */
  conflict(message: string, cause?: unknown): StorageError {
    this.#context.lease.check();
    return new StorageError('conflict', message, { cause });
  }
}
