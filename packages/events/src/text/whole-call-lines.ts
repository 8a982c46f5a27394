import type { ActionEvent } from '../kinds/action-event.ts';
import { FileEditorAction } from '../payloads/file-editor.ts';
import { FinishAction } from '../payloads/finish.ts';
import { MCPToolAction } from '../payloads/mcp-tool.ts';
import { TaskTrackerAction } from '../payloads/task-tracker.ts';
import { TerminalAction } from '../payloads/terminal.ts';
import { ThinkAction } from '../payloads/think.ts';
import { revealHidden } from '../safe-text/reveal-hidden.ts';
import { editLines, terminalText } from './call-lines.ts';
import type { TextLine } from './text-line.ts';

/**
 * Renders all of a call, uncut and with invisible characters as numbers, for a person who must approve it. Each part is
 * revealed on its own: numbers that replace line feeds must not be read as text of the call. Separate from the brief
 * form, because a page with a timeline contains that form only.
 */
export function callLines(event: ActionEvent): readonly TextLine[] {
  return [actionLine(event), ...editLines(event, wholeChange)];
}

/** Payloads are parsed here, because a log may contain any JSON under a kind. */
function actionLine({ action, tool_name: tool, tool_call: call }: ActionEvent): TextLine {
  const mark = 'action';
  const terminal = TerminalAction.read(action);
  if (terminal) {
    const timeout = terminal.timeout === undefined ? [] : [`timeout ${terminal.timeout} s`];
    // A whole command keeps its outer blanks: some of them are other characters than the blank.
    return { mark, text: terminalText(terminal, revealHidden(terminal.command), timeout) };
  }
  const edit = FileEditorAction.read(action);
  if (edit) return { mark, text: editTitle(edit) };
  const tasks = TaskTrackerAction.read(action);
  if (tasks) {
    const plan = revealHidden(JSON.stringify(tasks.task_list));
    return { mark, text: tasks.command === 'plan' ? `☰ plan ${plan}` : '☰ task list' };
  }
  const thinking = ThinkAction.read(action);
  if (thinking) return { mark: 'quiet', text: `… ${revealHidden(thinking.thought)}` };
  const finish = FinishAction.read(action);
  if (finish) return { mark: 'success', text: `✔ ${revealHidden(finish.message)}` };
  return { mark, text: `→ ${onOneLine(tool)} ${revealHidden(inputText(action) ?? call.arguments)}` };
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
  return revealHidden(name).replaceAll('\n', '<000A>');
}

/** The lines are before the sign, where no path can name them. */
function editTitle({
  command,
  path,
  insert_line: after,
  view_range: range,
}: NonNullable<ReturnType<typeof FileEditorAction.read>>): string {
  const notes = [
    ...(after === undefined ? [] : [`after line ${after}`]),
    ...(range ? [`lines ${range.join(' to ')}`] : []),
  ];
  return `${notes.length === 0 ? '' : `(${notes.join(', ')}) `}✎ ${command} ${onOneLine(path)}`;
}

/** An edit that only adds or removes a final line feed would look like none without its number. */
function wholeChange(text: string): readonly string[] {
  return revealHidden(text).replace(/\n$/, '<000A>').split('\n');
}
