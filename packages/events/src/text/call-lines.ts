import type { ActionEvent } from '../kinds/action-event.ts';
import { FileEditorAction } from '../payloads/file-editor.ts';
import { FinishAction } from '../payloads/finish.ts';
import { MCPToolAction } from '../payloads/mcp-tool.ts';
import { TaskTrackerAction } from '../payloads/task-tracker.ts';
import { TerminalAction } from '../payloads/terminal.ts';
import { ThinkAction } from '../payloads/think.ts';
import { firstLines, shortened } from './excerpt.ts';
import type { TextLine } from './text-line.ts';

/** Excerpts show this many lines of a command or an edit. */
const excerptLength = 6;

/** Renders a call with excerpts of long fields. The text is not safe for a terminal. */
export function shortCallLines(event: ActionEvent): readonly TextLine[] {
  return [actionLine(event, excerptLength), ...editLines(event, excerptLength)];
}

/** Renders a call uncut. The text is not safe for a terminal. */
export function wholeCallLines(event: ActionEvent): readonly TextLine[] {
  return [actionLine(event, Infinity), ...editLines(event, Infinity)];
}

/** Payloads are parsed here, because a log may contain any JSON under a kind. */
function actionLine({ action, tool_name: tool, tool_call: call, summary }: ActionEvent, maxLines: number): TextLine {
  const mark = 'action';
  const terminal = TerminalAction.read(action);
  if (terminal) return { mark, text: terminalText(terminal, maxLines) };
  const edit = FileEditorAction.read(action);
  if (edit) {
    const position = edit.insert_line === undefined ? '' : ` after line ${edit.insert_line}`;
    const range = edit.view_range && maxLines === Infinity ? ` lines ${edit.view_range.join(' to ')}` : '';
    return { mark, text: `✎ ${edit.command} ${onOneLine(edit.path)}${position}${range}` };
  }
  const tasks = TaskTrackerAction.read(action);
  if (tasks) {
    const plan = maxLines === Infinity ? ` ${JSON.stringify(tasks.task_list)}` : '';
    return { mark, text: tasks.command === 'plan' ? `☰ plan${plan}` : '☰ task list' };
  }
  const thinking = ThinkAction.read(action);
  if (thinking)
    return { mark: 'quiet', text: `… ${maxLines === Infinity ? thinking.thought : firstLines(thinking.thought, 4)}` };
  const finish = FinishAction.read(action);
  if (finish) return { mark: 'success', text: `✔ ${finish.message}` };
  if (maxLines === Infinity) return { mark, text: `→ ${onOneLine(tool)} ${inputText(action) ?? call.arguments}` };
  return { mark, text: `→ ${onOneLine(tool)} ${summary ?? shortened(call.arguments)}` };
}

/**
 * Returns what a tool would receive. The text of the model may differ: it can repeat a name, write letters as escapes,
 * or be repaired.
 */
function inputText(action: ActionEvent['action']): string | undefined {
  if (!action) return undefined;
  const { kind: _, ...fields } = action;
  return JSON.stringify(MCPToolAction.read(action)?.data ?? fields);
}

/** Replaces line feeds in a name, which would look like the end of the call. */
function onOneLine(name: string): string {
  return name.replaceAll('\n', '<000A>');
}

/** Distinguishes a command from input for the running program: approving one is not approving the other. */
function terminalText(
  { command, is_input: isInput, reset, timeout }: NonNullable<ReturnType<typeof TerminalAction.read>>,
  maxLines: number,
): string {
  // A whole command keeps its outer blanks: some of them are other characters than the blank.
  const shown = (maxLines === Infinity ? command : firstLines(command, maxLines)) || '(poll)';
  const limit = timeout !== undefined && maxLines === Infinity ? ` (timeout ${timeout} s)` : '';
  return `${isInput ? '⌨' : '$'} ${shown}${reset ? ' (in a fresh shell)' : ''}${limit}`;
}

/** Renders the removed and the added lines of an edit. */
function editLines({ action }: ActionEvent, maxLines: number): readonly TextLine[] {
  const edit = FileEditorAction.read(action);
  if (!edit || edit.command === 'view') return [];
  const removed = edit.command === 'str_replace' ? edit.old_str : undefined;
  const added = edit.command === 'create' ? edit.file_text : edit.new_str;
  return [...changedLines('-', removed, maxLines), ...changedLines('+', added, maxLines)];
}

function changedLines(sign: '-' | '+', value: string | undefined, maxLines: number): readonly TextLine[] {
  if (!value) return [];
  // An edit that only adds or removes a final line feed would look like none.
  const lines = value.replace(/\n$/, maxLines === Infinity ? '<000A>' : '').split('\n');
  const hidden = lines.length - maxLines;
  const shown = lines.slice(0, maxLines).map((line) => (maxLines === Infinity ? line : shortened(line)));
  if (hidden > 0) shown.push(`… ${hidden} more ${hidden === 1 ? 'line' : 'lines'}`);
  return shown.map((line) => ({ mark: sign === '-' ? 'error' : 'success', text: `  ${sign} ${line}` }));
}
