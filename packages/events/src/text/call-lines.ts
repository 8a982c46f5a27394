import type { ActionEvent } from '../kinds/action-event.ts';
import { FileEditorAction } from '../payloads/file-editor.ts';
import { FinishAction } from '../payloads/finish.ts';
import { MCPToolAction } from '../payloads/mcp-tool.ts';
import { TaskTrackerAction } from '../payloads/task-tracker.ts';
import { TerminalAction } from '../payloads/terminal.ts';
import { ThinkAction } from '../payloads/think.ts';
import { revealHidden } from '../safe-text/safe-text.ts';
import { firstLines, shortened } from './excerpt.ts';
import type { TextLine } from './text-line.ts';

/** How much of a call is shown, and how. */
interface Detail {
  /** Lines of a command or an edit; infinite for all of a call. */
  readonly maxLines: number;
  /** Returns a part of the call as it is shown. */
  readonly shown: (text: string) => string;
}

const brief: Detail = { maxLines: 6, shown: (text) => text };
// Part by part: numbers that stand for line feeds must not be read as text of the call.
const whole: Detail = { maxLines: Infinity, shown: revealHidden };

/** Renders a call with excerpts of long fields. The text is not safe for a terminal. */
export function shortCallLines(event: ActionEvent): readonly TextLine[] {
  return [actionLine(event, brief), ...editLines(event, brief)];
}

/** Renders all of a call, uncut and with invisible characters as numbers, for a person who must approve it. */
export function callLines(event: ActionEvent): readonly TextLine[] {
  return [actionLine(event, whole), ...editLines(event, whole)];
}

/** Payloads are parsed here, because a log may contain any JSON under a kind. */
function actionLine({ action, tool_name: tool, tool_call: call, summary }: ActionEvent, detail: Detail): TextLine {
  const mark = 'action';
  const { shown } = detail;
  const isWhole = detail === whole;
  const terminal = TerminalAction.read(action);
  if (terminal) return { mark, text: terminalText(terminal, detail) };
  const edit = FileEditorAction.read(action);
  if (edit) {
    return { mark, text: editTitle(edit, detail) };
  }
  const tasks = TaskTrackerAction.read(action);
  if (tasks) {
    const plan = isWhole ? ` ${shown(JSON.stringify(tasks.task_list))}` : '';
    return { mark, text: tasks.command === 'plan' ? `☰ plan${plan}` : '☰ task list' };
  }
  const thinking = ThinkAction.read(action);
  if (thinking)
    return { mark: 'quiet', text: `… ${isWhole ? shown(thinking.thought) : firstLines(thinking.thought, 4)}` };
  const finish = FinishAction.read(action);
  if (finish) return { mark: 'success', text: `✔ ${shown(finish.message)}` };
  if (isWhole) return { mark, text: `→ ${onOneLine(tool, detail)} ${shown(inputText(action) ?? call.arguments)}` };
  return { mark, text: `→ ${onOneLine(tool, detail)} ${summary ?? shortened(call.arguments)}` };
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
function onOneLine(name: string, { shown }: Detail): string {
  return shown(name).replaceAll('\n', '<000A>');
}

/**
 * Distinguishes a command from input for the running program: approving one is not approving the other. What is not
 * text of the command is before its sign, where no command can write it.
 */
function terminalText(
  { command, is_input: isInput, reset, timeout }: NonNullable<ReturnType<typeof TerminalAction.read>>,
  { maxLines, shown }: Detail,
): string {
  const notes = [
    ...(command === '' ? ['poll'] : []),
    ...(reset ? ['in a fresh shell'] : []),
    ...(timeout !== undefined && maxLines === Infinity ? [`timeout ${timeout} s`] : []),
  ];
  const note = notes.length === 0 ? '' : `(${notes.join(', ')})`;
  if (command === '' && !isInput) return note;
  // A whole command keeps its outer blanks: some of them are other characters than the blank.
  const text = maxLines === Infinity ? shown(command) : firstLines(command, maxLines);
  return `${note === '' ? '' : `${note} `}${isInput ? '⌨' : '$'} ${text}`;
}

/** Of a whole call, the lines are before the sign, where no path can name them. */
function editTitle(
  { command, path, insert_line: after, view_range: range }: NonNullable<ReturnType<typeof FileEditorAction.read>>,
  detail: Detail,
): string {
  const title = `✎ ${command} ${onOneLine(path, detail)}`;
  if (detail !== whole) return after === undefined ? title : `${title} after line ${after}`;
  const notes = [
    ...(after === undefined ? [] : [`after line ${after}`]),
    ...(range ? [`lines ${range.join(' to ')}`] : []),
  ];
  return notes.length === 0 ? title : `(${notes.join(', ')}) ${title}`;
}

/** Renders the removed and the added lines of an edit. */
function editLines({ action }: ActionEvent, detail: Detail): readonly TextLine[] {
  const edit = FileEditorAction.read(action);
  if (!edit || edit.command === 'view') return [];
  const removed = edit.command === 'str_replace' ? edit.old_str : undefined;
  const added = edit.command === 'create' ? edit.file_text : edit.new_str;
  return [...changedLines('-', removed, detail), ...changedLines('+', added, detail)];
}

function changedLines(sign: '-' | '+', value: string | undefined, { maxLines, shown }: Detail): readonly TextLine[] {
  if (!value) return [];
  // An edit that only adds or removes a final line feed would look like none.
  const lines = shown(value)
    .replace(/\n$/, maxLines === Infinity ? '<000A>' : '')
    .split('\n');
  const hidden = lines.length - maxLines;
  const first = lines.slice(0, maxLines).map((line) => (maxLines === Infinity ? line : shortened(line)));
  if (hidden > 0) first.push(`… ${hidden} more ${hidden === 1 ? 'line' : 'lines'}`);
  return first.map((line) => ({ mark: sign === '-' ? 'error' : 'success', text: `  ${sign} ${line}` }));
}
