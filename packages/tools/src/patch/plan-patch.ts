import { lstat } from 'node:fs/promises';
import { isAbsolute, resolve } from 'node:path';
import type { ApplyPatchObservation } from '@varve/events/payloads';
import { contents } from '../file-editor/editor-report.ts';
import { isRefused, refuse, type Refused } from '../file-editor/refused.ts';
import { target as targetOf, type Reach, type Target } from '../file-editor/target.ts';
import { encoded, readTextFile } from '../file-editor/text-file.ts';
import type { PatchHunk } from './patch-hunk.ts';
import { patchedText } from './patched-text.ts';
import type { PlannedChange } from './planned-change.ts';

type Report = Parameters<typeof ApplyPatchObservation.create>[0];
type Changes = NonNullable<NonNullable<Report['commit']>['changes']>;

/** Everything a patch does, before anything of it is done. */
export interface PatchPlan {
  readonly changes: readonly PlannedChange[];
  /** By the paths of the patch. */
  readonly commit: Changes;
  readonly fuzz: number;
  /** One line for each file. */
  readonly told: readonly string[];
}

/** Where a patch may work. */
export interface PatchReach extends Reach {
  readonly maxFileBytes: number;
}

/** Computes what a patch does to the files it names; a refusal says which change cannot be made. */
export async function planPatch(hunks: readonly PatchHunk[], reach: PatchReach): Promise<PatchPlan | Refused> {
  const parts: PatchPlan[] = [];
  const seen = new Set<string>();
  for (const hunk of hunks) {
    const part = await planned(hunk, reach);
    if (isRefused(part)) return refuse(`Nothing was changed: ${part.refused.replace('Nothing was changed: ', '')}`);
    for (const { real } of part.changes) {
      if (seen.has(real)) return refuse(`Nothing was changed: the patch names ${hunk.path} more than once.`);
      seen.add(real);
    }
    parts.push(part);
  }
  return {
    changes: parts.flatMap(({ changes }) => changes),
    commit: Object.assign({}, ...parts.map(({ commit }) => commit)),
    fuzz: parts.reduce((sum, { fuzz }) => sum + fuzz, 0),
    told: parts.flatMap(({ told }) => told),
  };
}

async function planned(hunk: PatchHunk, reach: PatchReach): Promise<PatchPlan | Refused> {
  const target = await targetOf(
    resolve(reach.workspace, hunk.path),
    hunk.kind === 'add' ? 'create' : 'str_replace',
    reach,
  );
  if (isRefused(target)) return target;
  if (hunk.kind === 'add') return added(hunk, target);
  if (hunk.kind === 'delete') return removed(hunk, target, reach);
  return updated(hunk, target, reach);
}

function added({ path, text }: Extract<PatchHunk, { kind: 'add' }>, { real }: Target): PatchPlan {
  return {
    changes: [{ real, before: undefined, after: Buffer.from(text), previous: undefined }],
    commit: { [path]: { type: 'add', ...contents(undefined, text) } },
    fuzz: 0,
    told: [`A ${path}`],
  };
}

async function removed(
  { path }: Extract<PatchHunk, { kind: 'delete' }>,
  target: Target,
  { maxFileBytes }: PatchReach,
): Promise<PatchPlan | Refused> {
  const file = (await whyLink(target)) ?? (await readTextFile(target, maxFileBytes));
  if (isRefused(file)) return file;
  return {
    changes: [{ real: target.real, before: file.bytes, after: undefined, previous: target.stats }],
    commit: { [path]: { type: 'delete', ...contents(file.text, undefined) } },
    fuzz: 0,
    told: [`D ${path}`],
  };
}

async function updated(
  { path, moveTo, chunks }: Extract<PatchHunk, { kind: 'update' }>,
  target: Target,
  reach: PatchReach,
): Promise<PatchPlan | Refused> {
  const file = await readTextFile(target, reach.maxFileBytes);
  if (isRefused(file)) return file;
  const patched = patchedText(file, path, chunks);
  if (isRefused(patched)) return patched;
  const written = encoded(patched.text, file);
  if (isRefused(written)) return written;
  const { bytes: after, note } = written;
  const end = note === undefined ? '' : `. ${note}`;
  const previous = target.stats;
  const change = { type: 'update', ...contents(file.text, patched.text) } as const;
  const { fuzz } = patched;
  if (moveTo === undefined) {
    const changes = [{ real: target.real, before: file.bytes, after, previous }];
    return { changes, commit: { [path]: change }, fuzz, told: [`M ${path}${end}`] };
  }
  const goal = (await whyLink(target)) ?? (await moveTarget(moveTo, reach));
  if (isRefused(goal)) return goal;
  return {
    changes: [
      { real: goal.real, before: undefined, after, previous },
      { real: target.real, before: file.bytes, after: undefined, previous },
    ],
    commit: { [path]: { ...change, move_path: moveTo } },
    fuzz,
    told: [`R ${path} -> ${moveTo}${end}`],
  };
}

async function moveTarget(path: string, reach: PatchReach): Promise<Target | Refused> {
  if (isAbsolute(path) || path.split('/').includes('..'))
    return refuse(`The path to move to must be relative, without "..": ${path}.`);
  return targetOf(resolve(reach.workspace, path), 'create', reach);
}

/** To remove what a link leads to would leave the link behind. */
async function whyLink({ path }: Target): Promise<Refused | undefined> {
  const stats = await lstat(path).catch(() => undefined);
  return stats?.isSymbolicLink()
    ? refuse(`${path} is a symbolic link; a patch can change what it leads to, but neither remove nor move it.`)
    : undefined;
}
