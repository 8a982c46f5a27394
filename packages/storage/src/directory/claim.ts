import { join } from 'node:path';
import type { Holder } from '../kit/holder.ts';
import type { Files } from './files.ts';
import { parseRecord } from './json-record.ts';
import type { Paths } from './paths.ts';

/** The file in `.varve/epoch-N/` that says who holds the epoch. */
export interface Claim extends Holder {
  /** Names the holder, and its directory beside the claim, which is gone once another holder has taken over. */
  readonly instance: string;
  /** UTC milliseconds until which the claim counts even if no lease was written yet. */
  readonly until: number;
}

/** The claims of one conversation. */
export interface ClaimLocation {
  readonly files: Files;
  readonly paths: Paths;
}

/** The directory of an epoch. */
export function epochDirectory({ own }: Paths, epoch: number): string {
  return join(own, `epoch-${epoch}`);
}

/** The epochs there are, highest first; normally one. */
export function listEpochs({ files, paths }: ClaimLocation): readonly number[] {
  const epochs = files.list(paths.own).flatMap((name) => /^epoch-(\d{1,15})$/.exec(name)?.[1] ?? []);
  return epochs.map(Number).toSorted((one, other) => other - one);
}

/** Reads the claim of an epoch, and whether it was given back. */
export function readClaim(
  { files, paths }: ClaimLocation,
  epoch: number,
): (Claim & { isReleased: boolean }) | undefined {
  const directory = epochDirectory(paths, epoch);
  const record = parseRecord(files.read(join(directory, 'claim.json'))) ?? {};
  const { instance, host, pid, boot, until } = record;
  if (typeof instance !== 'string' || typeof host !== 'string' || typeof boot !== 'string') return undefined;
  if (typeof pid !== 'number' || typeof until !== 'number') return undefined;
  const isReleased = files.status(join(directory, instance, 'released')) !== undefined;
  return { instance, host, pid, boot, until, isReleased };
}

/** Writes the directory of an epoch, which the caller moves to its place in one act. */
export function writeClaim(files: Files, directory: string, claim: Claim): void {
  files.makeDirectory(directory);
  files.makeDirectory(join(directory, claim.instance));
  files.write(join(directory, 'claim.json'), JSON.stringify(claim));
}
