import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { errnoOf } from '@varve/files';
import { StorageError } from '../contract/error.ts';
import { checkLease, machineOf, type FoundLease } from '../kit/holder.ts';
import type { Files } from './layout/files.ts';
import {
  type Claim,
  epochDirectory,
  listEpochs,
  type OwnerLease,
  parseOwnerLease,
  readRecordedEnd,
  readClaim,
  writeClaim,
} from './lease-files.ts';
import { Lease, type LeaseOptions } from './lease.ts';

/**
 * Takes the lease of a conversation. If several processes try concurrently, one succeeds.
 *
 * @throws {StorageError} `held` if a live holder has it, of this package or of the reference; `corrupt` if a place that
 * only this package writes to is a link.
 */
export function takeLease(options: LeaseOptions): Lease {
  checkPlaces(options);
  for (let tries = 0; tries < 100; tries += 1) {
    const lease = takeEpoch(options, checkFree(options) + 1);
    if (lease) return lease;
  }
  throw new StorageError('held', `Conversation ${options.id} is repeatedly taken by other processes.`);
}

/**
 * Refuses links: in a directory that another person made, they can lead anywhere, and this package creates, changes and
 * removes files there.
 */
function checkPlaces({ id, files, paths }: LeaseOptions): void {
  const { directory, own, events, sidecars, snapshots, quarantine, seals } = paths;
  const places = [directory, own, events, sidecars, snapshots, quarantine, seals];
  const link = places.find((path) => files.isLink(path));
  if (link === undefined) return;
  throw new StorageError('corrupt', `${link} is a link, so conversation ${id} is not changed.`);
}

/** Returns a claim for this holder, with a new instance id. */
export function newClaim({ holder, leaseMs, now }: Pick<LeaseOptions, 'holder' | 'leaseMs' | 'now'>): Claim {
  return { ...holder, instance: randomUUID().replaceAll('-', ''), until: now() + leaseMs };
}

/** Checks that no live holder has the lease, and returns the highest epoch so far. @throws {StorageError} `held`. */
function checkFree(options: LeaseOptions): number {
  const { id, files, paths } = options;
  const [epoch = 0] = listEpochs(options);
  const claimed = readClaim(options, epoch);
  const lease = parseOwnerLease(files.read(paths.ownerLease));
  const leases = lease?.owner_instance_id === claimed?.instance ? [] : [referenceHolder(options, lease)];
  if (claimed && !claimed.isReleased) leases.push(claimHolder(claimed, lease));
  for (const other of leases) if (other) checkLease(id, other, options);
  return Math.max(epoch, lease?.generation ?? 0);
}

function claimHolder(claimed: Claim, lease: OwnerLease | undefined): FoundLease {
  const isRenewed = lease?.owner_instance_id === claimed.instance;
  return { ...claimed, until: isRenewed ? Math.max(claimed.until, lease.expires_at * 1000) : claimed.until };
}

/** Returns the holder of a lease without a claim. It has no boot id, and the reference checks only the pid. */
function referenceHolder({ holder }: LeaseOptions, lease: OwnerLease | undefined): FoundLease | undefined {
  if (!lease) return undefined;
  const { owner_host: host = '', owner_pid: pid = process.pid, expires_at: until } = lease;
  return { host, pid, boot: machineOf(holder), until: until * 1000 };
}

/** Takes one epoch. Returns `undefined` if another process was faster. */
function takeEpoch(options: LeaseOptions, epoch: number): Lease | undefined {
  const { files, paths } = options;
  const before = readRecordedEnd(options);
  const claimed = { ...newClaim(options), sealed: before.sealed };
  const draft = join(paths.own, `claim-${claimed.instance}`);
  makeOwn(options);
  writeClaim(files, draft, claimed);
  try {
    // Renaming a directory onto a non-empty one fails, so an epoch has one holder.
    files.rename(draft, epochDirectory(paths, epoch));
  } catch (error) {
    files.remove(draft);
    const isTaken = ['EEXIST', 'ENOTEMPTY', 'ENOENT'].includes(errnoOf(error) ?? '');
    if (isTaken || files.status(epochDirectory(paths, epoch))) return undefined;
    throw error;
  }
  const lease = new Lease(options, epoch, claimed, before);
  try {
    // If another process took a higher epoch in between, this ends the epoch just taken, and writing the lease fails.
    for (const old of listEpochs(options).slice(1)) endEpoch(options, old);
    return tryWrite(lease) ? lease : undefined;
  } catch (error) {
    lease.release();
    throw error;
  }
}

/** Creates `.varve` in a conversation that the reference created. @throws {StorageError} `missing`. */
function makeOwn({ id, files, paths }: LeaseOptions): void {
  try {
    files.makeDirectory(paths.own);
  } catch (error) {
    if (errnoOf(error) === 'ENOENT') throw new StorageError('missing', `There is no conversation ${id}.`);
    if (errnoOf(error) !== 'EEXIST') throw error;
  }
}

/** Ends an epoch by moving its directory away, so that later moves of its holder fail as `fenced`. */
function endEpoch({ files, paths }: LeaseOptions, epoch: number): void {
  const endedPath = join(paths.own, `ended-${randomUUID()}`);
  try {
    files.rename(epochDirectory(paths, epoch), endedPath);
  } catch (error) {
    const errno = errnoOf(error);
    // An overlay file system moves no directory of a lower layer. Its holder ended before this layer was made.
    if (errno === 'EXDEV') files.remove(epochDirectory(paths, epoch));
    else if (errno !== 'ENOENT') throw error;
  }
  const ended = files.list(paths.own).filter((name) => name.startsWith('ended-'));
  for (const name of ended) removeEnded(files, join(paths.own, name));
}

/** Removes the directory of an ended epoch. If another process interferes, the next takeover removes it. */
function removeEnded(files: Files, path: string): void {
  try {
    files.remove(path);
  } catch (error) {
    if (errnoOf(error) === undefined) throw error;
  }
}

/** Writes the lease file; returns false if the epoch has ended. */
function tryWrite(lease: Lease): boolean {
  try {
    lease.write();
    return true;
  } catch (error) {
    if (error instanceof StorageError && error.code === 'fenced') return false;
    throw error;
  }
}
