import { lstat } from 'node:fs/promises';
import { isAbsolute, resolve } from 'node:path';
import type { ApplyPatchObservation } from '@varve/events/payloads';
import { contents } from '../file-editor/editor-report.ts';
import { turn } from '../contract/turn.ts';
import { isRefusal, refuse, type Refusal } from '../files/refusal.ts';
import { isChangedSince, type ShownFiles } from '../files/shown-files.ts';
import { type PathScope, type Target, resolveTarget } from '../files/target.ts';
import { encodeLike, readTextFile } from '../files/text-file.ts';
import type { PlannedChange } from './apply-changes.ts';
import type { Chunk, PatchHunk } from './parse-patch.ts';
import { applyChunks } from './apply-chunks.ts';

type Report = Parameters<typeof ApplyPatchObservation.create>[0];
type Changes = NonNullable<NonNullable<Report['commit']>['changes']>;

/** Complete effect of a patch, computed before any file is changed. */
export interface PatchPlan {
  readonly changes: readonly PlannedChange[];
  /** Changes for the observation, by the paths in the patch. */
  readonly commit: Changes;
  readonly fuzz: number;
  /** Summary with one line for each file. */
  readonly summary: readonly string[];
}

/** Maximum length of all file contents in an observation, and so in the log. */
const maxContentChars = 2 * 1024 * 1024;
/** Maximum size of all files of a patch, in files of the maximum size: they are in memory until all are written. */
const maxLargestFiles = 10;

/** Files that a patch may change. */
export interface PatchScope extends PathScope {
  readonly maxFileBytes: number;
  readonly signal: AbortSignal;
  readonly shownFiles: ShownFiles | undefined;
}

/** Computes the changes of a patch; a refusal names the change that cannot be made. */
export async function planPatch(hunks: readonly PatchHunk[], reach: PatchScope): Promise<PatchPlan | Refusal> {
  const parts: PatchPlan[] = [];
  const seen = new Set<string>();
  const maxBytes = maxLargestFiles * reach.maxFileBytes;
  let bytes = 0;
  for (const hunk of hunks) {
    await turn(reach.signal);
    const part = await planHunk(hunk, reach);
    if (isRefusal(part)) return refuse(`Nothing was changed: ${part.refused.replace('Nothing was changed: ', '')}`);
    for (const { real, before, after } of part.changes) {
      bytes += (before?.length ?? 0) + (after?.length ?? 0);
      if (bytes > maxBytes)
        return refuse(`Nothing was changed: the files of the patch have more than ${maxBytes} bytes, old and new.`);
      if (seen.has(real)) return refuse(`Nothing was changed: the patch names ${hunk.path} more than once.`);
      seen.add(real);
    }
    parts.push(part);
  }
  if (parts.every(({ changes }) => changes.length === 0))
    return refuse(`Nothing was changed: ${parts.flatMap(({ summary }) => summary).join('; ')}.`);
  return {
    changes: parts.flatMap(({ changes }) => changes),
    commit: limitContents(Object.assign({}, ...parts.map(({ commit }) => commit))),
    fuzz: parts.reduce((sum, { fuzz }) => sum + fuzz, 0),
    summary: parts.flatMap(({ summary }) => summary),
  };
}

/** Omits the contents of the files with which all of them would be too long. */
function limitContents(changes: Changes): Changes {
  let room = maxContentChars;
  const limited = Object.entries(changes).map(([path, change]) => {
    const { old_content, new_content, ...rest } = change;
    const chars = (old_content?.length ?? 0) + (new_content?.length ?? 0);
    if (chars > room) return [path, rest] as const;
    room -= chars;
    return [path, change] as const;
  });
  return Object.fromEntries(limited);
}

async function planHunk(hunk: PatchHunk, reach: PatchScope): Promise<PatchPlan | Refusal> {
  const target = await resolveTarget(
    resolve(reach.workspace, hunk.path),
    hunk.kind === 'add' ? 'create' : 'str_replace',
    reach,
  );
  if (isRefusal(target)) return target;
  if (hunk.kind === 'add') return planAdd(hunk, target);
  if (hunk.kind === 'delete') return planDelete(hunk, target, reach);
  return planUpdate(hunk, target, reach);
}

function planAdd({ path, text }: Extract<PatchHunk, { kind: 'add' }>, { real }: Target): PatchPlan {
  return {
    changes: [{ real, before: undefined, after: Buffer.from(text), previous: undefined }],
    commit: { [path]: { type: 'add', ...contents(undefined, text) } },
    fuzz: 0,
    summary: [`A ${path}`],
  };
}

async function planDelete(
  { path }: Extract<PatchHunk, { kind: 'delete' }>,
  target: Target,
  { maxFileBytes }: PatchScope,
): Promise<PatchPlan | Refusal> {
  const file = (await refuseLink(target)) ?? (await readTextFile(target, maxFileBytes));
  if (isRefusal(file)) return file;
  return {
    changes: [{ real: target.real, before: file.bytes, after: undefined, previous: target.stats }],
    commit: { [path]: { type: 'delete', ...contents(file.text, undefined) } },
    fuzz: 0,
    summary: [`D ${path}`],
  };
}

async function planUpdate(
  { path, moveTo, chunks }: Extract<PatchHunk, { kind: 'update' }>,
  target: Target,
  reach: PatchScope,
): Promise<PatchPlan | Refusal> {
  const file = await readTextFile(target, reach.maxFileBytes);
  if (isRefusal(file)) return file;
  const isChanged = isChangedSince(reach.shownFiles?.get(target.real), file.bytes);
  if (isChanged && chunks.some(isPlacedByNumber)) {
    return refuse(`${path} ${changedSince}, and lines are added to it without any unchanged line next to them.`);
  }
  const patched = await applyChunks(file, { path, chunks, signal: reach.signal });
  if (isRefusal(patched)) return patched;
  const written = await encodeLike(patched.text, file);
  if (isRefusal(written)) return written;
  const { bytes: after, note } = written;
  const notes = [note, isChanged ? `It ${changedSince}: check the result.` : undefined];
  const end = notes.flatMap((each) => (each === undefined ? [] : `. ${each}`)).join('');
  const previous = target.stats;
  const change = { type: 'update', ...contents(file.text, patched.text) } as const;
  const { fuzz } = patched;
  if (moveTo === undefined && after.equals(file.bytes))
    return { changes: [], commit: {}, fuzz, summary: [`${path} is unchanged: it has the lines of the patch already`] };
  if (moveTo === undefined) {
    const changes = [{ real: target.real, before: file.bytes, after, previous }];
    return { changes, commit: { [path]: change }, fuzz, summary: [`M ${path}${end}`] };
  }
  const goal = (await refuseLink(target)) ?? (await moveTarget(moveTo, reach));
  if (isRefusal(goal)) return goal;
  return {
    changes: [
      { real: goal.real, before: undefined, after, previous },
      { real: target.real, before: file.bytes, after: undefined, previous },
    ],
    commit: { [path]: { ...change, move_path: moveTo } },
    fuzz,
    summary: [`R ${path} -> ${moveTo}${end}`],
  };
}

const changedSince = 'was changed by something else since it was shown';

/** Tests for lines that are added at the top, or below an earlier change. */
function isPlacedByNumber({ lines, anchors, isAtEnd }: Chunk): boolean {
  return anchors.length === 0 && !isAtEnd && lines.every(({ mark }) => mark === '+');
}

async function moveTarget(path: string, reach: PatchScope): Promise<Target | Refusal> {
  if (isAbsolute(path) || path.split('/').includes('..'))
    return refuse(`The path to move to must be relative, without "..": ${path}.`);
  return resolveTarget(resolve(reach.workspace, path), 'create', reach);
}

/** Refuses to remove or move a link: removing its target would leave a dangling link. */
async function refuseLink({ path }: Target): Promise<Refusal | undefined> {
  const stats = await lstat(path).catch(() => undefined);
  return stats?.isSymbolicLink()
    ? refuse(`${path} is a symbolic link; a patch can change what it leads to, but neither remove nor move it.`)
    : undefined;
}
