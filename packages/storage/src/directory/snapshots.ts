import { join } from 'node:path';
import type { Json } from '@varve/events';
import type { SavedSnapshot } from '../contract/log-proof.ts';
import type { Snapshot, SnapshotCache } from '../contract/snapshots.ts';
import { jsonText } from '../kit/json.ts';
import { isStorageFailure } from '../kit/disk-error.ts';
import { keptPerName } from '../kit/snapshots.ts';
import type { LogContext } from './log-context.ts';
import type { FileText } from './quarantine.ts';

const pattern = /^(.+)-(\d{1,15})\.json$/;

/** Options of `directorySnapshots`. */
export interface SnapshotOptions extends Pick<LogContext, 'files' | 'paths' | 'lease'> {
  /** Throws if the log is closed. */
  readonly checkOpen: () => void;
}

/** Returns the snapshots of one conversation, in files `<name>-<seq>.json` with the name encoded as in URLs. */
export function directorySnapshots(options: SnapshotOptions): SnapshotCache {
  const { files, paths, lease, checkOpen } = options;
  return {
    async latest(name, upTo = Infinity) {
      checkOpen();
      for (const { path, seq } of list(options, name)) {
        const snapshot = seq <= upTo ? parse(files.read(path), seq) : undefined;
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
        for (const { path } of list(options, name).slice(keptPerName)) files.remove(path);
      } catch (error) {
        // A cache may leave out what it cannot save.
        if (!isStorageFailure(error)) throw error;
      }
    },
  };
}

/** Converts a file of the directory of snapshots, which may be one that this store did not write. */
export function savedSnapshot({ name: file, text }: FileText): SavedSnapshot {
  const [, name = file, seq = 0] = pattern.exec(file) ?? [];
  try {
    return { name: decodeURIComponent(name), seq: Number(seq), text };
  } catch {
    return { name: file, seq: Number(seq), text };
  }
}

/** Removes the snapshots of more than `head` events, which the log lost after they were saved. */
export function dropSnapshots({ files, paths }: Pick<SnapshotOptions, 'files' | 'paths'>, head: number): void {
  for (const name of files.list(paths.snapshots)) {
    if (Number(pattern.exec(name)?.[2] ?? 0) > head) files.remove(join(paths.snapshots, name));
  }
}

/** Lists the snapshots of one name, newest first. */
function list(
  { files, paths }: SnapshotOptions,
  name: string,
): readonly { readonly path: string; readonly seq: number }[] {
  const encoded = encodeName(name);
  const snapshotFiles = files.list(paths.snapshots).flatMap((file) => {
    const [, other, digits] = pattern.exec(file) ?? [];
    return other === encoded ? [{ path: join(paths.snapshots, file), seq: Number(digits) }] : [];
  });
  return snapshotFiles.toSorted((a, b) => b.seq - a.seq);
}

function encodeName(name: string): string {
  return encodeURIComponent(name.toWellFormed()).replaceAll('%40', '@').replaceAll('*', '%2A');
}

/** Parses a snapshot; returns `undefined` for a file that a power failure emptied. */
function parse(text: Buffer | undefined, seq: number): Snapshot | undefined {
  try {
    const state: Json = JSON.parse(text?.toString() ?? '');
    return { seq, state };
  } catch {
    return undefined;
  }
}
