import { join } from 'node:path';
import type { SealedEnd, SealedOnce } from '../contract/log-proof.ts';
import type { Holder } from '../kit/holder.ts';
import { isSha256Hex } from '../proof/hash-chain.ts';
import type { Files } from './layout/files.ts';
import { asRecord, parseRecord } from '../kit/json.ts';
import type { Paths } from './layout/paths.ts';

/** Contents of `.varve/epoch-N/claim.json`: the lease holder of an epoch. */
export interface Claim extends Holder {
  /** Id of the holder, and name of its stage next to the claim, which is gone once another holder has taken over. */
  readonly instance: string;
  /** UTC milliseconds until which the claim is valid even if no lease was written yet. */
  readonly until: number;
  /** End of the sealed events when the lease was taken, as recorded by earlier holders. */
  readonly sealed?: SealedOnce | undefined;
}

/** Location of the claims of one conversation. */
export interface ClaimLocation {
  readonly files: Files;
  readonly paths: Paths;
}

/** Returns the directory of an epoch. */
export function epochDirectory({ own }: Paths, epoch: number): string {
  return join(own, `epoch-${epoch}`);
}

/** Returns the path of an epoch's claim. */
export function claimPath(paths: Paths, epoch: number): string {
  return join(epochDirectory(paths, epoch), 'claim.json');
}

/** Lists the existing epochs, highest first; normally one. */
export function listEpochs({ files, paths }: ClaimLocation): readonly number[] {
  const epochs = files.list(paths.own).flatMap((name) => /^epoch-(\d{1,15})$/.exec(name)?.[1] ?? []);
  return epochs.map(Number).toSorted((a, b) => b - a);
}

/** A stored claim. */
export interface StoredClaim extends Claim {
  /** True if the holder released the lease. */
  readonly isReleased: boolean;
  /** End of the sealed events when the holder closed the log; absent if it was not closed. */
  readonly closed: SealedEnd | undefined;
}

/** Reads the claim of an epoch. */
export function readClaim({ files, paths }: ClaimLocation, epoch: number): StoredClaim | undefined {
  const directory = epochDirectory(paths, epoch);
  const record = parseRecord(files.read(claimPath(paths, epoch))) ?? {};
  const { instance, host, pid, boot, until } = record;
  if (typeof instance !== 'string' || typeof host !== 'string' || typeof boot !== 'string') return undefined;
  if (typeof pid !== 'number' || typeof until !== 'number') return undefined;
  const released = files.read(join(directory, instance, 'released'));
  const ends = { sealed: sealedEnd(record['sealed']), closed: sealedEnd(parseRecord(released)) };
  return { instance, host, pid, boot, until, isReleased: released !== undefined, ...ends };
}

function sealedEnd(value: unknown): SealedEnd | undefined {
  const { head, seal } = asRecord(value) ?? {};
  return Number.isSafeInteger(head) && isSha256Hex(seal) ? { head: Number(head), seal } : undefined;
}

/** End of a log as recorded in its lease. */
export interface RecordedEnd {
  readonly sealed: SealedOnce | undefined;
  /** True if the last holder closed the log, so that no append was interrupted. */
  readonly isClosed: boolean;
}

/** Reads how much of a log was sealed when its lease was last taken or released. */
export function readRecordedEnd(location: ClaimLocation): RecordedEnd {
  const [epoch] = listEpochs(location);
  const claim = epoch === undefined ? undefined : readClaim(location, epoch);
  return { sealed: claim?.closed ?? claim?.sealed, isClosed: claim?.closed !== undefined };
}

/** Creates the directory of an epoch with its claim, for the caller to rename into place. */
export function writeClaim(files: Files, directory: string, claim: Claim): void {
  files.makeDirectory(directory);
  files.makeDirectory(join(directory, claim.instance));
  files.write(join(directory, 'claim.json'), JSON.stringify(claim));
}

/**
 * Contents of `owner_lease.json`: the lease that the reference reads and writes too.
 *
 * @see software-agent-sdk openhands/agent_server/conversation_lease.py
 */
export interface OwnerLease {
  readonly owner_instance_id: string;
  /** Increases with every takeover; equals the epoch. */
  readonly generation: number;
  /** UTC seconds. */
  readonly expires_at: number;
  readonly owner_host?: string;
  readonly owner_pid?: number;
}

/** Parses a lease; returns `undefined` for anything else, since a holder that wrote it would not renew it. */
export function parseOwnerLease(text: Buffer | undefined): OwnerLease | undefined {
  const record = parseRecord(text);
  const { owner_instance_id: instance, generation, expires_at: end, owner_host: host, owner_pid: pid } = record ?? {};
  if (typeof instance !== 'string' || typeof end !== 'number' || typeof generation !== 'number') return undefined;
  if (!Number.isSafeInteger(generation) || generation < 0) return undefined;
  return {
    owner_instance_id: instance,
    generation,
    expires_at: end,
    ...(typeof host === 'string' && { owner_host: host }),
    ...(typeof pid === 'number' && { owner_pid: pid }),
  };
}
