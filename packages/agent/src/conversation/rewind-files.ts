import { filesFact, rewindFact, type FileChange } from '@varve/events/facts';
import { changesOf } from '@varve/events/projections';
import { removeEmptied, restoreFile } from '@varve/tools/workspace';
import type { Session } from '../agent/session.ts';
import { RewindFold, type RewindPlan } from '../files/rewind-plan.ts';

/** Options of a return of files to what they were. */
export interface RewindFilesOptions {
  /** Number of events of the log after which the files were so. */
  readonly head: number;
  /** Reports whether a file goes back although something else changed it; default never. */
  readonly overwrites?: (path: string) => boolean;
}

/** Result of a return of files to what they were. */
export interface RewoundFiles extends RewindPlan {
  /** Paths that have been written or deleted. */
  readonly changed: readonly string[];
  /** Paths that were left, because they changed while the plan was executed. */
  readonly left: readonly string[];
}

/** Stores what changed on the disk since the last call, and returns the plan for a return. Changes no file. */
export async function planRewind(
  session: Session,
  { head, overwrites = () => false }: RewindFilesOptions,
): Promise<RewindPlan> {
  const { journal, files, log, codec, agent } = session;
  const isRecorded = journal.timeline.read('files').records.size > 0;
  // Where nothing is recorded, nothing is looked for.
  const drafts = isRecorded ? await files.check({ walks: true }) : [];
  if (drafts.length > 0) await journal.emit(drafts);
  const fold = new RewindFold(head);
  for await (const { seq, text } of log.range(0)) fold.add(codec.read(text), seq);
  const plan = fold.plan(overwrites);
  const isSeen = agent.recordsFiles && (isRecorded || !fold.hasCalls);
  return isSeen ? plan : { ...plan, gaps: [...plan.gaps, 'no changes are recorded'] };
}

/** Returns the changes of files that a plan makes. */
export function plannedChanges({ steps }: RewindPlan): readonly FileChange[] {
  return steps.flatMap(({ kind, path, before, after }): readonly FileChange[] => {
    if (kind !== 'write' && kind !== 'delete') return [];
    const mode = after.hash !== null && { mode: after.mode || before.mode || '100644' };
    return [{ path, before: before.hash, after: after.hash, ...mode }];
  });
}

/** Returns files to what they were: stores the plan, executes it, and stores what was done. */
export async function rewindFiles(session: Session, options: RewindFilesOptions): Promise<RewoundFiles> {
  const plan = await planRewind(session, options);
  const changes = plannedChanges(plan);
  if (changes.length === 0) return { ...plan, changed: [], left: [] };
  const value = { head: options.head, changes, at: session.now() };
  await session.journal.emit([{ make: (stamp) => rewindFact.create(value, stamp) }]);
  return { ...plan, ...(await finishRewind(session)) };
}

/**
 * Executes the rest of a return that is stored, also one that a crash interrupted. Files that are neither as before it
 * nor as after it were changed by something else, and are left.
 */
export async function finishRewind(session: Session): Promise<Pick<RewoundFiles, 'changed' | 'left'>> {
  const { journal, files, workspace } = session;
  const { rewind } = journal.timeline.read('files');
  if (!rewind) return { changed: [], left: [] };
  const done = await restoreFiles(rewind.changes, workspace, session);
  const cause = { rewind_id: rewind.id };
  const drafts = await files.record(
    rewind.changes.map(({ path }) => path),
    cause,
  );
  const end = {
    make: (stamp: Parameters<typeof filesFact.create>[1]) => filesFact.create({ ...cause, changes: [] }, stamp),
  };
  await journal.emit(drafts.length > 0 ? drafts : [end]);
  return done;
}

/** Executes changes in a workspace, or a copy of it, as far as its files are as before them. */
export async function restoreFiles(
  changes: readonly FileChange[],
  workspace: string,
  session: Session,
): Promise<Pick<RewoundFiles, 'changed' | 'left'>> {
  const [changed, left]: [string[], string[]] = [[], []];
  const contents = await contentsOf(session, changes);
  // A file may be where another one needs a directory.
  const ordered = [...changes].toSorted((a, b) => Number(a.after !== null) - Number(b.after !== null));
  for (const change of ordered) {
    await session.journal.checkLease();
    const isDone = await restoreFile(change, { workspace, content: contents.get(change.after ?? '') });
    (isDone ? changed : left).push(change.path);
  }
  const deleted = changes.filter(({ path, after }) => after === null && changed.includes(path));
  removeEmptied(
    deleted.map(({ path }) => path),
    workspace,
  );
  return { changed, left };
}

/** Reads contents of the log by their hashes. */
async function contentsOf(session: Session, changes: readonly FileChange[]): Promise<ReadonlyMap<string, Buffer>> {
  const { journal, log, codec } = session;
  const places = journal.timeline.read('files').contents;
  const contents = new Map<string, Buffer>();
  const hashes = new Set(changes.map(({ after }) => after));
  const seqs = new Set([...hashes].flatMap((hash) => (hash === null ? [] : (places.get(hash) ?? []))));
  // One event may have thousands of contents.
  for (const seq of seqs)
    for (const { after, content, encoding } of changesOf(codec.read((await log.at(seq)).text)))
      if (after !== null && content !== undefined && hashes.has(after))
        contents.set(after, Buffer.from(content, encoding));
  return contents;
}
