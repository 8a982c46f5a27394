import { join } from 'node:path';
import { errnoOf } from '@varve/files';
import { StorageError } from '../contract/error.ts';
import type { SealedEnd, SealedOnce } from '../contract/log-proof.ts';
import type { Claimant } from '../kit/holder.ts';
import {
  type Claim,
  type ClaimLocation,
  claimPath,
  epochDirectory,
  type OwnerLease,
  parseOwnerLease,
  type RecordedEnd,
} from './lease-files.ts';

/** Lease settings of a conversation. */
export interface LeaseOptions extends ClaimLocation, Claimant {
  readonly id: string;
  /** Time until a lease expires if it is not renewed. */
  readonly leaseMs: number;
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
  /** End of the sealed events before this lease was taken. */
  readonly before: RecordedEnd;
  readonly #options: LeaseOptions;
  readonly #claim: Claim;
  /** UTC milliseconds of the expiry. */
  #until: number;
  /** Version of the lease file when it was last found to be this holder's. */
  #seen = '';
  #count = 0;

  /** Uses a claim that was already renamed into place. */
  constructor(options: LeaseOptions, epoch: number, claim: Claim, before?: RecordedEnd) {
    this.before = before ?? { sealed: undefined, isClosed: false };
    this.#options = options;
    this.epoch = epoch;
    this.#claim = claim;
    this.stage = join(epochDirectory(options.paths, epoch), claim.instance);
    this.#until = claim.until;
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
      owner_instance_id: this.#claim.instance,
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

  /**
   * Runs work, and releases the lease in its previous state if it fails: otherwise other processes would wait until it
   * expires.
   */
  async releaseOnError<T>(work: () => Promise<T>): Promise<T> {
    try {
      return await work();
    } catch (error) {
      this.release(this.before.isClosed ? this.before.sealed : undefined);
      throw error;
    }
  }

  /** Replaces the record of how much of the log is sealed, after a change that is not an append. */
  async recordSealed(sealed: SealedEnd): Promise<void> {
    const { files, paths } = this.#options;
    const path = claimPath(paths, this.epoch);
    const staged = this.stagedPath();
    await files.writeAndFsync(staged, JSON.stringify({ ...this.#claim, sealed }));
    this.unlessFenced(() => files.rename(staged, path));
    await files.fsync(epochDirectory(paths, this.epoch));
  }

  /** Releases the lease, and records how much of a closed log is sealed. If that fails, it expires by itself. */
  release(closed?: SealedOnce): void {
    const { files, paths } = this.#options;
    try {
      files.write(join(this.stage, 'released'), closed ? JSON.stringify(closed) : '');
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
    if (lease.owner_instance_id !== this.#claim.instance) throw this.#fenced();
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
