import type { ActionEvent } from '../kinds/action-event.ts';
import { FileEditorAction } from '../payloads/file-editor.ts';
import { FinishAction } from '../payloads/finish.ts';
import { TaskTrackerAction } from '../payloads/task-tracker.ts';
import { TerminalAction } from '../payloads/terminal.ts';
import { ThinkAction } from '../payloads/think.ts';
import { firstLines, shortened } from './excerpt.ts';
import type { TextLine, TextMark } from './text-line.ts';

/** Lines of a command or of one side of an edit that are shown. */
const maxLines = 6;

/** Renders a call with excerpts of long fields. The text is not safe for a terminal. */
export function shortCallLines(event: ActionEvent): readonly TextLine[] {
  return [actionLine(event), ...editLines(event, shortChange)];
}

/** Payloads are parsed here, because a log may contain any JSON under a kind. */
function actionLine({ action, tool_name: tool, tool_call: call, summary }: ActionEvent): TextLine {
  const mark = 'action';
  const terminal = TerminalAction.read(action);
  if (terminal) return { mark, text: terminalText(terminal, firstLines(terminal.command, maxLines)) };
  const edit = FileEditorAction.read(action);
  if (edit) {
    const { command, path, insert_line: after } = edit;
    return { mark, text: `✎ ${command} ${path}${after === undefined ? '' : ` after line ${after}`}` };
  }
  const tasks = TaskTrackerAction.read(action);
  if (tasks) return { mark, text: tasks.command === 'plan' ? '☰ plan' : '☰ task list' };
  const thinking = ThinkAction.read(action);
  if (thinking) return { mark: 'quiet', text: `… ${firstLines(thinking.thought, 4)}` };
  const finish = FinishAction.read(action);
  if (finish) return { mark: 'success', text: `✔ ${finish.message}` };
  return { mark, text: `→ ${tool} ${summary ?? shortened(call.arguments)}` };
}

/** Payload of a call of the terminal. */
type Terminal = NonNullable<ReturnType<typeof TerminalAction.read>>;

/**
 * Distinguishes a command from input for the running program: approving one is not approving the other. What is not
 * text of the command is before its sign, where no command can write it.
 */
export function terminalText(
  { command, is_input: isInput, reset }: Terminal,
  text: string,
  furtherNotes: readonly string[] = [],
): string {
  const notes = [...(command === '' ? ['poll'] : []), ...(reset ? ['in a fresh shell'] : []), ...furtherNotes];
  const note = notes.length === 0 ? '' : `(${notes.join(', ')})`;
  if (command === '' && !isInput) return note;
  return `${note === '' ? '' : `${note} `}${isInput ? '⌨' : '$'} ${text}`;
}

/** Renders the removed and the added lines of an edit; `linesOf` returns the lines of each that are shown. */
export function editLines({ action }: ActionEvent, linesOf: (text: string) => readonly string[]): readonly TextLine[] {
  const edit = FileEditorAction.read(action);
  if (!edit || edit.command === 'view') return [];
  const removed = edit.command === 'str_replace' ? edit.old_str : undefined;
  const added = edit.command === 'create' ? edit.file_text : edit.new_str;
  const rows = (sign: string, text: string | undefined, mark: TextMark): TextLine[] =>
    text ? linesOf(text).map((line) => ({ mark, text: `  ${sign} ${line}` })) : [];
  return [...rows('-', removed, 'error'), ...rows('+', added, 'success')];
}

function shortChange(text: string): readonly string[] {
  const lines = text.replace(/\n$/, '').split('\n');
  const hidden = lines.length - maxLines;
  const first = lines.slice(0, maxLines).map(shortened);
  return hidden > 0 ? [...first, `… ${hidden} more ${hidden === 1 ? 'line' : 'lines'}`] : first;
}
