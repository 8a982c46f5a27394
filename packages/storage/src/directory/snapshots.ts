import { join } from 'node:path';
import type { Json } from '@varve/events';
import { StorageError } from '../contract/error.ts';
import type { Snapshot, SnapshotCache } from '../contract/snapshots.ts';
import { errnoOf } from '../kit/errno-of.ts';
import { jsonText } from '../kit/json.ts';
import type { Files } from './files.ts';
import type { Lease } from './lease.ts';
import type { Paths } from './paths.ts';

const keptPerName = 4;
const pattern = /^(.+)-(\d{1,15})\.json$/;

/** Where snapshots lie, and who may write them. */
export interface SnapshotOptions {
  readonly files: Files;
  readonly paths: Paths;
  readonly lease: Lease;
  /** Throws when the log is closed. */
  readonly checkOpen: () => void;
}

/** The snapshots of one conversation: `<name>-<seq>.json`, what a file name cannot hold written as in URLs. */
export function directorySnapshots(place: SnapshotOptions): SnapshotCache {
  const { files, paths, lease, checkOpen } = place;
  return {
    async latest(name, upTo = Infinity) {
      checkOpen();
      for (const { path, seq } of list(place, name)) {
        const snapshot = seq <= upTo ? read(files.read(path), seq) : undefined;
        if (snapshot) return snapshot;
      }
      return undefined;
    },
    async save(name, { seq, state }) {
      try {
        checkOpen();
        const text = jsonText('snapshot', state);
        if (!files.status(paths.snapshots)) files.makeDirectory(paths.snapshots);
        lease.replace(join(paths.snapshots, `${encodeName(name)}-${seq}.json`), text);
        for (const { path } of list(place, name).slice(keptPerName)) files.remove(path);
      } catch (error) {
        // A cache: what cannot be saved is not there.
        if (!isFailure(error)) throw error;
      }
    },
  };
}

/** Removes the snapshots that fold more than `head` events: the log lost its end since they were saved. */
export function dropSnapshots({ files, paths }: Pick<SnapshotOptions, 'files' | 'paths'>, head: number): void {
  for (const name of files.list(paths.snapshots)) {
    if (Number(pattern.exec(name)?.[2] ?? 0) > head) files.remove(join(paths.snapshots, name));
  }
}

/** Those of one name, newest first. */
function list(
  { files, paths }: SnapshotOptions,
  name: string,
): readonly { readonly path: string; readonly seq: number }[] {
  const encoded = encodeName(name);
  const found = files.list(paths.snapshots).flatMap((file) => {
    const [, other, digits] = pattern.exec(file) ?? [];
    return other === encoded ? [{ path: join(paths.snapshots, file), seq: Number(digits) }] : [];
  });
  return found.toSorted((one, other) => other.seq - one.seq);
}

function encodeName(name: string): string {
  return encodeURIComponent(name.toWellFormed()).replaceAll('%40', '@').replaceAll('*', '%2A');
}

/** A power failure may have emptied it: then it is not there. */
function read(text: Buffer | undefined, seq: number): Snapshot | undefined {
  try {
    const state: Json = JSON.parse(text?.toString() ?? '');
    return { seq, state };
  } catch {
    return undefined;
  }
}

function isFailure(error: unknown): boolean {
  return error instanceof StorageError || errnoOf(error) !== undefined;
}
