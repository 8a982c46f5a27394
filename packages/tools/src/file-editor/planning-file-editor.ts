import { stat } from 'node:fs/promises';
import { dirname, isAbsolute, join } from 'node:path';
import { createAtomically, makeDirectories } from '@varve/files';
import { PlanningFileEditorAction, PlanningFileEditorObservation } from '@varve/events/payloads';
import type { OwnedTool, ToolContext } from '../contract/tool.ts';
import { defineBuiltinTool } from '../contract/define-tool.ts';
import { closeMemory } from '../contract/lifetime.ts';
import { ToolError } from '../contract/error.ts';
import { realPathOf } from '../files/real-path.ts';
import type { EditorCall } from './editor-commands.ts';
import { type EditorReport, failure, success } from './editor-report.ts';
import { editorHandler } from './editor-handler.ts';
import type { FileEditorOptions } from './file-editor-options.ts';
import { refuseFailure, refuseParameter } from '../files/refusal.ts';

/** Options of {@link planningFileEditor}. */
export interface PlanningFileEditorOptions extends FileEditorOptions {
  /** Absolute path of the plan. Default: `PLAN.md` of the workspace if it exists, else `.agents_tmp/PLAN.md`. */
  readonly planPath?: string;
}

const outline = `# 1. OBJECTIVE

# 2. CONTEXT SUMMARY

# 3. APPROACH OVERVIEW

# 4. IMPLEMENTATION STEPS

# 5. TESTING AND VALIDATION
`;

/**
 * Returns the editor of a planning agent, which can view every file of the workspace and change only the plan. A new
 * plan starts with an outline.
 *
 * @throws {ToolError} `unusable` when a root or the path of the plan is not absolute.
 * @see software-agent-sdk openhands/tools/planning_file_editor (here nothing is written before the first edit)
 */
export function planningFileEditor(options: PlanningFileEditorOptions = {}): OwnedTool<EditorCall> {
  const { planPath, roots = [] } = options;
  if (planPath !== undefined && !isAbsolute(planPath))
    throw new ToolError('unusable', `The path of the plan ${planPath} is not absolute.`);
  const work = editorHandler({ ...options, roots: planPath === undefined ? roots : [...roots, dirname(planPath)] });
  return defineBuiltinTool({
    name: 'planning_file_editor',
    description: `Shows files and directories, and edits the plan; nothing else can be changed. Paths are absolute. The plan is ${planPath ?? 'PLAN.md in the workspace if it is there already, else .agents_tmp/PLAN.md'}; it has an outline to fill in.

- \`view\` shows a text file with line numbers, an image, or a directory; \`view_range\` shows a part.
- \`str_replace\` replaces \`old_str\`, which must occur once, by \`new_str\`. \`insert\` puts \`new_str\` after line \`insert_line\`.
- \`create\` writes a plan that does not exist yet. \`undo_edit\` reverts the last edit.`,
    input: PlanningFileEditorAction,
    output: PlanningFileEditorObservation,
    definitionKind: 'PlanningFileEditorTool',
    annotations: { title: 'planning_file_editor', destructiveHint: false, openWorldHint: false },
    effect: ({ command }) => (command === 'view' ? 'read' : 'write'),
    resources: ({ path }) => [`file:${realPathOf(path)}`],
    close: closeMemory,
    async execute(call, context) {
      const plan = planPath ?? (await defaultPlan(context.workspace));
      return realPathOf(call.path) === realPathOf(plan)
        ? callOnPlan(plan, call, { ...context, work: (next) => work(next, context) })
        : callOnOtherFile(plan, call, { ...context, work });
    },
  });
}

async function defaultPlan(workspace: string): Promise<string> {
  const old = join(workspace, 'PLAN.md');
  return (await exists(old)) ? old : join(workspace, '.agents_tmp', 'PLAN.md');
}

async function callOnOtherFile(
  plan: string,
  call: EditorCall,
  { work, ...context }: ToolContext & { readonly work: ReturnType<typeof editorHandler> },
): Promise<EditorReport> {
  if (call.command === 'view') return work(call, context);
  const { refused } = refuseParameter('path', call.path, `Only the plan can be changed: ${plan}.`);
  return failure({ command: call.command, path: call.path }, refused);
}

interface PlanScope extends Pick<ToolContext, 'signal'> {
  readonly work: (call: EditorCall) => Promise<EditorReport>;
}

async function callOnPlan(plan: string, call: EditorCall, { work, signal }: PlanScope): Promise<EditorReport> {
  const done = { command: call.command, path: call.path };
  if (call.command === 'create' || call.command === 'undo_edit' || (await exists(plan))) return work(call);
  if (call.command === 'view')
    return success(
      done,
      `The plan ${plan} does not exist yet. The first edit starts it with this outline:\n${outline}`,
    );
  try {
    makeDirectories(dirname(plan));
    await createAtomically(plan, outline, { signal });
  } catch (error) {
    if (error === signal.reason) throw error;
    return failure(done, refuseFailure('Creating', plan, error).refused);
  }
  return work(call);
}

async function exists(path: string): Promise<boolean> {
  return stat(path).then(
    () => true,
    () => false,
  );
}
