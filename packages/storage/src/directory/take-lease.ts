import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { StorageError } from '../contract/error.ts';
import { errnoOf } from '../kit/errno-of.ts';
import { type Holder, isDead } from '../kit/holder.ts';
import type { Files } from './files.ts';
import {
  type Claim,
  epochDirectory,
  listEpochs,
  type OwnerLease,
  parseOwnerLease,
  readClaim,
  writeClaim,
} from './lease-files.ts';
import { Lease, type LeaseOptions } from './lease.ts';

/** Somebody who has the right to append. */
type Contender = Holder & { readonly until: number };

/**
 * Takes the lease of a conversation. Of several that try at once one succeeds.
 *
 * @throws {StorageError} `held` by a live holder, of this package or of the reference.
 */
export function takeLease(options: LeaseOptions): Lease {
  for (let tries = 0; tries < 100; tries += 1) {
    const lease = claim(options, checkFree(options) + 1);
    if (lease) return lease;
  }
  throw new StorageError('held', `Conversation ${options.id} is being taken by others again and again.`);
}

/** The first claim of a conversation that is being made. */
export function newClaim({ holder, leaseMs, now }: Pick<LeaseOptions, 'holder' | 'leaseMs' | 'now'>): Claim {
  return { ...holder, instance: randomUUID().replaceAll('-', ''), until: now() + leaseMs };
}

/** Gives the highest epoch there was. @throws {StorageError} `held`. */
function checkFree(options: LeaseOptions): number {
  const { id, files, paths, now, holder } = options;
  const [epoch = 0] = listEpochs(options);
  const claimed = readClaim(options, epoch);
  const lease = parseOwnerLease(files.read(paths.ownerLease));
  const contenders = lease?.owner_instance_id === claimed?.instance ? [] : [foreign(options, lease)];
  if (claimed && !claimed.isReleased) contenders.push(contender(claimed, lease));
  const live = contenders.find((other) => other && other.until > now() && !isDead(other, holder));
  if (live) {
    const who = `process ${live.pid} on ${live.host || 'an unknown host'}`;
    const until = new Date(Math.min(live.until, 8.64e15)).toISOString();
    throw new StorageError('held', `Conversation ${id} is held by ${who} until ${until} or longer.`);
  }
  return Math.max(epoch, lease?.generation ?? 0);
}

function contender(claimed: Claim, lease: OwnerLease | undefined): Contender {
  const isRenewed = lease?.owner_instance_id === claimed.instance;
  return { ...claimed, until: isRenewed ? Math.max(claimed.until, lease.expires_at * 1000) : claimed.until };
}

/** The holder of a lease that is of no epoch here. It says nothing of boots, and the reference goes by the pid alone. */
function foreign({ holder }: LeaseOptions, lease: OwnerLease | undefined): Contender | undefined {
  if (!lease) return undefined;
  const { owner_host: host = '', owner_pid: pid = process.pid, expires_at: until } = lease;
  return { host, pid, boot: holder.boot, until: until * 1000 };
}

/** Takes one epoch, or nothing when somebody else was faster. */
function claim(options: LeaseOptions, epoch: number): Lease | undefined {
  const { files, paths } = options;
  const claimed = newClaim(options);
  const draft = join(paths.own, `claim-${claimed.instance}`);
  makeOwn(options);
  writeClaim(files, draft, claimed);
  try {
    // Moving a directory over one that is not empty fails, so an epoch has one holder.
    files.rename(draft, epochDirectory(paths, epoch));
  } catch (error) {
    files.remove(draft);
    const isTaken = ['EEXIST', 'ENOTEMPTY', 'ENOENT'].includes(errnoOf(error) ?? '');
    if (isTaken || files.status(epochDirectory(paths, epoch))) return undefined;
    throw error;
  }
  const lease = new Lease(options, epoch, claimed);
  try {
    // This one is among them when somebody with a higher one came between: then there is nothing to write the lease from.
    for (const old of listEpochs(options).slice(1)) end(options, old);
    return hasWritten(lease) ? lease : undefined;
  } catch (error) {
    lease.release();
    throw error;
  }
}

/** Makes the directory of ours, in a conversation that the reference made. @throws {StorageError} `missing`. */
function makeOwn({ id, files, paths }: LeaseOptions): void {
  try {
    files.makeDirectory(paths.own);
  } catch (error) {
    if (errnoOf(error) === 'ENOENT') throw new StorageError('missing', `There is no conversation ${id}.`);
    if (errnoOf(error) !== 'EEXIST') throw error;
  }
}

/** Ends an epoch: what its holder moves from now on is not there to be moved. */
function end({ files, paths }: LeaseOptions, epoch: number): void {
  const gone = join(paths.own, `ended-${randomUUID()}`);
  try {
    files.rename(epochDirectory(paths, epoch), gone);
  } catch (error) {
    if (errnoOf(error) !== 'ENOENT') throw error;
  }
  const ended = files.list(paths.own).filter((name) => name.startsWith('ended-'));
  for (const name of ended) removeEnded(files, join(paths.own, name));
}

/** What another one removes at the same time, or a file that comes in just now keeps, is removed with the next. */
function removeEnded(files: Files, path: string): void {
  try {
    files.remove(path);
  } catch (error) {
    if (errnoOf(error) === undefined) throw error;
  }
}

function hasWritten(lease: Lease): boolean {
  try {
    lease.write();
    return true;
  } catch (error) {
    if (error instanceof StorageError && error.code === 'fenced') return false;
    throw error;
  }
}
