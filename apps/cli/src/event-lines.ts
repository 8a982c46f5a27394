import { isOpaque, textOf, type BaseEvent } from '@varve/events';
import {
  ActionEvent,
  AgentErrorEvent,
  Condensation,
  ConversationErrorEvent,
  InterruptEvent,
  MessageEvent,
  ObservationEvent,
  PauseEvent,
  SystemPromptEvent,
  UserRejectObservation,
  HookExecutionEvent,
} from '@varve/events/kinds';
import {
  FileEditorAction,
  FinishAction,
  TaskTrackerAction,
  TaskTrackerObservation,
  TerminalAction,
  TerminalObservation,
  ThinkAction,
} from '@varve/events/payloads';
import { safeText } from '@varve/events/text';
import type { Style } from './terminal-io.ts';
import { unmaskedText } from './unmasked-text.ts';

/** One line of what happened, for a person. */
export interface Line {
  readonly style?: Style;
  readonly text: string;
}

/** What a person wants to read of an event, oldest first; empty for bookkeeping. Free of control characters. */
export function eventLines(event: BaseEvent): readonly Line[] {
  return rawLines(event).map((line) => ({ ...line, text: safeText(line.text) }));
}

/** All that a call would do, uncut and unmasked: what a person must see before allowing it. */
export function wholeCall(event: ActionEvent): readonly Line[] {
  const lines = [rawActionLine(event, Infinity), ...editLines(event, Infinity)];
  return lines.map((line) => ({ ...line, text: unmaskedText(line.text) }));
}

function rawLines(event: BaseEvent): readonly Line[] {
  if (MessageEvent.is(event)) return messageLines(event);
  if (ActionEvent.is(event)) return [...thoughtLines(event), rawActionLine(event), ...editLines(event)];
  if (ObservationEvent.is(event)) return observationLines(event);
  if (AgentErrorEvent.is(event)) return [{ style: 'red', text: `  ✗ ${firstLines(event.error, 2)}` }];
  if (UserRejectObservation.is(event)) return [{ style: 'yellow', text: `  ✗ not allowed: ${event.rejection_reason}` }];
  if (ConversationErrorEvent.is(event)) return [{ style: 'red', text: `✗ ${event.code}: ${event.detail}` }];
  if (Condensation.is(event)) {
    return [{ style: 'dim', text: `… ${event.forgotten_event_ids.length} events are no longer shown to the model` }];
  }
  if (HookExecutionEvent.is(event)) return hookLines(event);
  if (SystemPromptEvent.is(event)) return [{ style: 'dim', text: `system prompt, ${event.tools.length} tools` }];
  if (PauseEvent.is(event)) return [{ style: 'yellow', text: 'paused' }];
  if (InterruptEvent.is(event)) return [{ style: 'yellow', text: 'interrupted' }];
  if (isOpaque(event)) return [{ style: 'dim', text: `${event.wireKind || 'unreadable event'} (kept as it is)` }];
  return [];
}

function messageLines(event: ReturnType<typeof MessageEvent.create>): readonly Line[] {
  const said = textOf(event.llm_message.content).trim();
  if (said === '') return [];
  if (event.source === 'user') return [{ style: 'bold', text: `› ${said}` }];
  return [event.source === 'agent' ? { text: said } : { style: 'dim', text: `(${said})` }];
}

function hookLines({ hook_event_type: when, hook_command: command, ...hook }: HookExecutionEvent): readonly Line[] {
  const what = `⚙ ${when}: ${shortened(firstLines(command, 1), 160)}`;
  if (hook.blocked) {
    return [{ style: 'yellow', text: `${what}\n  ✗ blocked: ${hook.reason ?? firstLines(hook.stderr, 2)}` }];
  }
  if (hook.success) return [{ style: 'dim', text: what }];
  const why = hook.error ?? (firstLines(hook.stderr, 2) || `exit ${hook.exit_code}`);
  return [{ style: 'yellow', text: `${what}\n  failed: ${why}` }];
}

function thoughtLines({ thought }: ActionEvent): readonly Line[] {
  const said = textOf(thought).trim();
  return said === '' ? [] : [{ text: said }];
}

/** Payloads are read, not trusted: a log may hold anything under a kind. */
function rawActionLine({ action, tool_name: tool, tool_call: call, summary }: ActionEvent, most = 6): Line {
  const style = 'cyan';
  const terminal = TerminalAction.read(action);
  if (terminal) return { style, text: terminalText(terminal, most) };
  const edit = FileEditorAction.read(action);
  if (edit) {
    const place = edit.insert_line === undefined ? '' : ` after line ${edit.insert_line}`;
    return { style, text: `✎ ${edit.command} ${edit.path}${place}` };
  }
  const tasks = TaskTrackerAction.read(action);
  if (tasks) return { style, text: `☰ ${tasks.command === 'plan' ? 'plan' : 'task list'}` };
  const thinking = ThinkAction.read(action);
  if (thinking) return { style: 'dim', text: `… ${firstLines(thinking.thought, 4)}` };
  const finish = FinishAction.read(action);
  if (finish) return { style: 'green', text: `✔ ${finish.message}` };
  if (most === Infinity) return { style, text: `→ ${tool} ${call.arguments}` };
  return { style, text: `→ ${tool} ${summary ?? shortened(call.arguments, 160)}` };
}

/** A command, or what is typed into the program that runs: these are not the same to allow. */
function terminalText(
  { command, is_input: isInput, reset }: NonNullable<ReturnType<typeof TerminalAction.read>>,
  most: number,
): string {
  const what = firstLines(command, most) || '(poll)';
  return `${isInput ? '⌨' : '$'} ${what}${reset ? ' (in a fresh shell)' : ''}`;
}

/** What an edit takes away and what it puts in. */
function editLines({ action }: ActionEvent, most = 6): readonly Line[] {
  const edit = FileEditorAction.read(action);
  if (!edit || edit.command === 'view') return [];
  const removed = edit.command === 'str_replace' ? edit.old_str : undefined;
  const added = edit.command === 'create' ? edit.file_text : edit.new_str;
  return [...marked('-', removed, most), ...marked('+', added, most)];
}

function marked(mark: string, value: string | undefined, most: number): readonly Line[] {
  if (!value) return [];
  const lines = value.replace(/\n$/, '').split('\n');
  const rest = lines.length - most;
  const shown = lines.slice(0, most).map((line) => (most === Infinity ? line : shortened(line, 160)));
  if (rest > 0) shown.push(`… ${rest} more ${rest === 1 ? 'line' : 'lines'}`);
  return shown.map((line) => ({ style: mark === '-' ? 'red' : 'green', text: `  ${mark} ${line}` }));
}

function observationLines({ observation }: ObservationEvent): readonly Line[] {
  const failed = observation.is_error;
  const tasks = failed ? undefined : TaskTrackerObservation.read(observation);
  if (tasks) {
    const marks = { todo: '☐', in_progress: '◐', done: '☑' };
    return tasks.task_list.map(({ title, status }) => ({ style: 'dim', text: `  ${marks[status]} ${title}` }));
  }
  const terminal = TerminalObservation.read(observation);
  if (terminal) {
    const output = indented(shortOutput(textOf(terminal.content), terminal.full_output_save_dir));
    const code = terminal.exit_code;
    const how = code === -1 ? 'still running' : `exit ${code}`;
    const end: Line[] = code === undefined || code === 0 ? [] : [{ style: 'yellow', text: `  ${how}` }];
    return [...(output === '' ? [] : [{ style: failed ? ('red' as const) : ('dim' as const), text: output }]), ...end];
  }
  if (!failed) return [];
  return [{ style: 'red', text: indented(firstLines(textOf(observation.content), 3)) }];
}

/**
 * The beginning and the end of an output: where commands say what they do, and how it went. Of an output that was cut before
 * it was stored, nobody can count the lines here: the whole of it is `wholeIn` a directory.
 */
function shortOutput(output: string, wholeIn?: string): string {
  const lines = output.trimEnd().split('\n');
  if (lines.length <= 12) return lines.map((line) => shortened(line, 160)).join('\n');
  const shown = [
    ...lines.slice(0, 4),
    wholeIn ? `… more in ${wholeIn} …` : `… ${lines.length - 10} lines …`,
    ...lines.slice(-6),
  ];
  return shown.map((line) => shortened(line, 160)).join('\n');
}

function firstLines(value: string, count: number): string {
  const lines = value.trim().split('\n');
  return lines.length <= count ? lines.join('\n') : [...lines.slice(0, count), '…'].join('\n');
}

function indented(value: string): string {
  return value === '' ? '' : value.replaceAll(/^/gm, '  ');
}

function shortened(value: string, length: number): string {
  return value.length <= length ? value : `${value.slice(0, length - 1)}…`;
}
