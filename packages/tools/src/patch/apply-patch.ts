import type { PathOptions } from '../files/path-options.ts';
import { isAbsolute, resolve } from 'node:path';
import { text } from '@varve/events';
import { ApplyPatchAction, ApplyPatchObservation } from '@varve/events/payloads';
import type { SharedTool } from '../contract/tool.ts';
import { defineBuiltinTool } from '../contract/define-tool.ts';
import { ToolError } from '../contract/error.ts';
import { withoutHabits } from '../contract/habits.ts';
import { isRefusal, type Refusal } from '../files/refusal.ts';
import { realPathOf } from '../files/real-path.ts';
import { recordShown } from '../files/shown-files.ts';
import { mutex } from '../contract/mutex.ts';
import { applyChanges } from './apply-changes.ts';
import { parsePatch } from './parse-patch.ts';
import { patchLines } from './patch-lines.ts';
import { type PatchPlan, type PatchScope, planPatch } from './plan-patch.ts';

/** Options of {@link applyPatch}. */
export interface ApplyPatchOptions extends PathOptions {
  /** Maximum size of a changed file. Default: 10 MiB. */
  readonly maxFileBytes?: number;
  /**
   * Workspace of the calls. If given, a call excludes calls of any tool that use the same files; without it, a call
   * excludes only other patches.
   */
  readonly workspace?: string;
}

const habits = {
  names: { input: 'patch', diff: 'patch', patch_text: 'patch', patchText: 'patch' },
  ignored: ['description', 'explanation'],
};

/** Input of one call. */
export interface ApplyPatchCall {
  readonly patch: string;
}

const description = `Changes several files at once by a patch: all of it is applied, or nothing.

*** Begin Patch
*** Update File: src/a.py
@@ def area(side):
     check(side)
-    return side + side
+    return side * side
*** Add File: src/b.py
+print("new")
*** Delete File: src/c.py
*** End Patch

- Paths are relative to the workspace. \`*** Move to: path\` after an update line also renames the file.
- A change shows the lines to take out (\`-\`), to put in (\`+\`) and about three unchanged ones (a blank) before and after, exactly as they stand in the file. They must fit in one place only; when they do not, name a line above that place after \`@@\`, or show more lines.
- Further changes of a file begin with \`@@\` and follow in the order of the file. \`*** End of File\` after a change marks the end.`;

/**
 * Returns the tool that changes files by a patch in the V4A format: all of it or nothing, and only if each change
 * matches exactly one place.
 *
 * @throws {ToolError} `unusable` when a root or the workspace is not absolute.
 * @see software-agent-sdk openhands/tools/apply_patch (here new files end with a line feed, nothing is overwritten,
 * changes are reverted when one fails, and ambiguous context is refused)
 */
export function applyPatch(options: ApplyPatchOptions = {}): SharedTool<ApplyPatchCall> {
  const { jail = 'workspace', roots = [], maxFileBytes = 10 * 1024 * 1024, workspace: home } = options;
  const wrong = [...roots, ...(home === undefined ? [] : [home])].find((root) => !isAbsolute(root));
  if (wrong !== undefined) throw new ToolError('unusable', `The root ${wrong} is not an absolute path.`);
  const inTurn = mutex();
  return defineBuiltinTool({
    name: 'apply_patch',
    description,
    input: ApplyPatchAction,
    output: ApplyPatchObservation,
    definitionKind: 'ApplyPatchTool',
    annotations: { title: 'apply_patch', openWorldHint: false },
    effect: 'write',
    repairInput: (fields) => withoutHabits(fields, habits),
    ...(home !== undefined && { resources: ({ patch }: ApplyPatchCall) => resourceKeys(patch, home) }),
    execute: ({ patch }: ApplyPatchCall, { workspace, signal, shownFiles }) =>
      inTurn(async () => {
        const reach = { workspace, roots: jail === 'workspace' ? roots : undefined, maxFileBytes, signal, shownFiles };
        const outcome = await planAndApply(patch, reach);
        if (isRefusal(outcome)) return { content: [text(outcome.refused)], is_error: true, message: outcome.refused };
        const { commit, fuzz, summary } = outcome;
        const note = fuzz === 0 ? '' : '\nSome lines were found only with other blanks or quotes; check the result.';
        const message = `The patch was applied:\n${summary.join('\n')}${note}`;
        return { content: [text(message)], message, fuzz, commit: { changes: commit } };
      }, signal),
  });
}

async function planAndApply(patch: string, reach: PatchScope): Promise<PatchPlan | Refusal> {
  const hunks = parsePatch(patchLines(patch));
  if ('refused' in hunks) return hunks;
  const plan = await planPatch(hunks, reach);
  if (isRefusal(plan)) return plan;
  const problem = await applyChanges(plan.changes, reach.signal);
  if (problem) return problem;
  for (const { real, after } of plan.changes) recordShown(reach.shownFiles, real, after);
  return plan;
}

/** Returns the keys of all files that a patch names; none if it is invalid, because then it changes nothing. */
function resourceKeys(patch: string, workspace: string): readonly string[] {
  const hunks = parsePatch(patchLines(patch));
  if ('refused' in hunks) return [];
  const paths = hunks.flatMap((hunk) => ('moveTo' in hunk ? [hunk.path, hunk.moveTo ?? hunk.path] : [hunk.path]));
  return [...new Set(paths.map((path) => `file:${realPathOf(resolve(workspace, path))}`))];
}
