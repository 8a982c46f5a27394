import { isAbsolute } from 'node:path';
import type { ToolContext } from '../contract/tool.ts';
import { ToolError } from '../contract/error.ts';
import { mutex } from '../contract/mutex.ts';
import { type EditorCall, EditorCommands } from './editor-commands.ts';
import { type EditorReport, failure } from './editor-report.ts';
import type { FileEditorOptions } from './file-editor-options.ts';
import { isRefusal } from '../files/refusal.ts';
import { resolveTarget } from '../files/target.ts';

/**
 * Returns the function that executes the calls of an editor, one after the other, each after checking its target.
 *
 * @throws {ToolError} `unusable` when a root or the directory of the history is not absolute.
 */
export function editorHandler(
  options: FileEditorOptions,
): (call: EditorCall, context: ToolContext) => Promise<EditorReport> {
  const { jail = 'workspace', roots = [] } = options;
  const wrong = roots.find((root) => !isAbsolute(root));
  if (wrong !== undefined) throw new ToolError('unusable', `The root ${wrong} is not an absolute path.`);
  const { historyDir } = options;
  if (historyDir !== undefined && !isAbsolute(historyDir))
    throw new ToolError('unusable', `The directory ${historyDir} is not an absolute path.`);
  const commands = new EditorCommands(options);
  const inTurn = mutex();
  const work = async (call: EditorCall, { workspace, signal, shownFiles }: ToolContext): Promise<EditorReport> => {
    const reach = { workspace, roots: jail === 'workspace' ? roots : undefined };
    const target = await resolveTarget(call.path, call.command, reach);
    const scope = { roots: reach.roots && [workspace, ...reach.roots], signal, shownFiles };
    const outcome = isRefusal(target) ? target : await commands.perform(call, target, scope);
    return isRefusal(outcome) ? failure({ command: call.command, path: call.path }, outcome.refused) : outcome;
  };
  return (call, context) => inTurn(() => work(call, context), context.signal);
}
