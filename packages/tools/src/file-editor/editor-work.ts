import { isAbsolute } from 'node:path';
import { ToolError } from '../error.ts';
import { mutex } from '../mutex.ts';
import type { ToolContext } from '../tool-context.ts';
import { EditorCommands, type EditorCall } from './editor-commands.ts';
import { failed, type EditorReport } from './editor-report.ts';
import type { FileEditorOptions } from './file-editor-options.ts';
import { isRefused } from './refused.ts';
import { target as targetOf } from './target.ts';

/**
 * What the editors of this package share: calls one after the other, each with its target checked first.
 *
 * @throws {ToolError} `unusable` when a root or the directory of the history is not absolute.
 */
export function editorWork(
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
  const work = async (call: EditorCall, workspace: string): Promise<EditorReport> => {
    const reach = { workspace, roots: jail === 'workspace' ? roots : undefined };
    const target = await targetOf(call.path, call.command, reach);
    const opened = reach.roots && [workspace, ...reach.roots];
    const outcome = isRefused(target) ? target : await commands.perform(call, target, opened);
    return isRefused(outcome) ? failed({ command: call.command, path: call.path }, outcome.refused) : outcome;
  };
  return (call, { workspace, signal }) => inTurn(() => work(call, workspace), signal);
}
