import { join } from 'node:path';
import { StorageError } from '../contract/error.ts';
import { errnoOf } from '../kit/disk-error.ts';
import type { Holder } from '../kit/holder.ts';
import { type Claim, type ClaimLocation, epochDirectory, type OwnerLease, parseOwnerLease } from './lease-files.ts';

/** Lease settings of a conversation. */
export interface LeaseOptions extends ClaimLocation {
  readonly id: string;
  /** Time until a lease expires if it is not renewed. */
  readonly leaseMs: number;
  /** UTC milliseconds. */
  readonly now: () => number;
  /** Lease holder, recorded in the claim. */
  readonly holder: Holder;
}

/**
 * A held lease: the right to append during one epoch.
 *
 * The holder writes every file to {@link stage} first and moves it from there. A process that takes over the lease
 * moves that directory away, so later moves of the old holder fail and are reported as `fenced`. This leaves no gap
 * between checking the lease and using it.
 */
export class Lease {
  readonly epoch: number;
  /** Directory that only this holder uses. */
  readonly stage: string;
  readonly #options: LeaseOptions;
  readonly #instance: string;
  /** UTC milliseconds of the expiry. */
  #until: number;
  /** Version of the lease file when it was last found to be this holder's. */
  #seen = '';
  #count = 0;

  /** Uses a claim that was already renamed into place. */
  constructor(options: LeaseOptions, epoch: number, { instance, until }: Claim) {
    this.#options = options;
    this.epoch = epoch;
    this.#instance = instance;
    this.stage = join(epochDirectory(options.paths, epoch), instance);
    this.#until = until;
  }

  /** Returns a new path in {@link stage}. */
  stagedPath(): string {
    this.#count += 1;
    return join(this.stage, `${this.#count}`);
  }

  /**
   * Checks that the lease was not taken over, and renews it after half of its time.
   *
   * @throws {StorageError} `fenced`.
   */
  check(): void {
    const { leaseMs, now } = this.#options;
    if (!this.#isOwner() || this.#until - now() < leaseMs / 2) this.write();
  }

  /** Extends the lease. @throws {StorageError} `fenced`. */
  renew(): void {
    this.#isOwner();
    this.write();
  }

  /** Writes the lease file, replacing any other. @throws {StorageError} `fenced` if the epoch has ended. */
  write(): void {
    const { files, paths, leaseMs, now, holder } = this.#options;
    const until = now() + leaseMs;
    const lease: OwnerLease = {
      owner_instance_id: this.#instance,
      generation: this.epoch,
      expires_at: until / 1000,
      owner_host: holder.host,
      owner_pid: holder.pid,
    };
    this.replace(paths.ownerLease, JSON.stringify(lease));
    this.#until = until;
    this.#seen = versionOf(files.status(paths.ownerLease));
  }

  /** Replaces a file atomically; after a power failure it may be empty. @throws {StorageError} `fenced`. */
  replace(path: string, text: string): void {
    const staged = this.stagedPath();
    this.unlessFenced(() => {
      this.#options.files.write(staged, text);
      this.#options.files.rename(staged, path);
    });
  }

  /** Runs work that moves files out of or into {@link stage}. @throws {StorageError} `fenced` if the stage is gone. */
  unlessFenced<T>(work: () => T): T {
    try {
      return work();
    } catch (error) {
      if (errnoOf(error) === 'ENOENT' && !this.#options.files.status(this.stage)) throw this.#fenced(error);
      throw error;
    }
  }

  /** Runs work, and releases the lease if it fails: otherwise other processes would wait until it expires. */
  async releaseOnError<T>(work: () => Promise<T>): Promise<T> {
    try {
      return await work();
    } catch (error) {
      this.release();
      throw error;
    }
  }

  /** Releases the lease. If that fails, it expires by itself. */
  release(): void {
    const { files, paths } = this.#options;
    try {
      files.write(join(this.stage, 'released'), '');
      if (this.#isOwner()) files.rename(paths.ownerLease, this.stagedPath());
    } catch (error) {
      if (errnoOf(error) === undefined && !(error instanceof StorageError)) throw error;
    }
  }

  /** Returns false if the lease file is missing or invalid. @throws {StorageError} `fenced` if it has another owner. */
  #isOwner(): boolean {
    const { files, paths } = this.#options;
    const seen = versionOf(files.status(paths.ownerLease));
    if (seen === this.#seen && seen !== '') return true;
    const lease = parseOwnerLease(files.read(paths.ownerLease));
    if (!lease) return false;
    if (lease.owner_instance_id !== this.#instance) throw this.#fenced();
    this.#seen = seen;
    return true;
  }

  #fenced(cause?: unknown): StorageError {
    const { id } = this.#options;
    return new StorageError('fenced', `Conversation ${id} was taken over from epoch ${this.epoch}.`, { cause });
  }
}

function versionOf(status: { readonly identity: string; readonly modifiedNs: bigint } | undefined): string {
  return status ? `${status.identity} ${status.modifiedNs}` : '';
}
