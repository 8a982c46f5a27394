import { Condensation } from '../kinds/condensation.ts';
import { firstLines, indented, outputExcerpt, shortened } from './excerpt.ts';
import type { TextLine } from './text-line.ts';
import { textOf, type Content } from '../content.ts';
import type { BaseEvent } from '../define-event.ts';
import { maskFact } from '../facts/mask.ts';
import { ActionEvent } from '../kinds/action-event.ts';
import { AgentErrorEvent } from '../kinds/agent-error-event.ts';
import { ConversationErrorEvent } from '../kinds/conversation-error-event.ts';
import { HookExecutionEvent } from '../kinds/hook-execution-event.ts';
import { InterruptEvent } from '../kinds/interrupt-event.ts';
import { MessageEvent } from '../kinds/message-event.ts';
import { ObservationEvent } from '../kinds/observation-event.ts';
import { PauseEvent } from '../kinds/pause-event.ts';
import { UserRejectObservation } from '../kinds/user-reject-observation.ts';
import { isOpaque } from '../opaque-event.ts';
import { FileEditorObservation } from '../payloads/file-editor.ts';
import { PlanningFileEditorObservation } from '../payloads/planning-file-editor.ts';
import { TaskTrackerObservation } from '../payloads/task-tracker.ts';
import { TerminalObservation } from '../payloads/terminal.ts';
import { shortCallLines } from './call-lines.ts';
import { safeText } from '../safe-text/safe-text.ts';

/**
 * Renders an event briefly for people: messages in full, calls and results as excerpts. Returns no lines for
 * bookkeeping events, such as state updates and the system prompt. Total: any event of a log can be rendered.
 *
 * @see software-agent-sdk Event.visualize
 */
export function eventLines(event: BaseEvent): readonly TextLine[] {
  return linesOf(event).map((line) => ({ ...line, text: safeText(line.text) }));
}

function linesOf(event: BaseEvent): readonly TextLine[] {
  if (MessageEvent.is(event)) return messageLines(event);
  if (ActionEvent.is(event)) return [...thoughtLines(event), ...shortCallLines(event)];
  if (ObservationEvent.is(event)) return observationLines(event);
  if (AgentErrorEvent.is(event)) return [{ mark: 'error', text: `  ✗ ${firstLines(event.error, 2)}` }];
  if (UserRejectObservation.is(event)) return [{ mark: 'warning', text: `  ✗ rejected: ${event.rejection_reason}` }];
  if (ConversationErrorEvent.is(event)) return [{ mark: 'error', text: `✗ ${event.code}: ${event.detail}` }];
  if (Condensation.is(event)) return forgottenLines(event);
  if (HookExecutionEvent.is(event)) return hookLines(event);
  if (PauseEvent.is(event)) return [{ mark: 'warning', text: 'Paused.' }];
  if (InterruptEvent.is(event)) return [{ mark: 'warning', text: 'Interrupted.' }];
  const mask = maskFact.read(event);
  if (mask?.refusal !== undefined) return refusalLines(mask);
  if (isOpaque(event)) return [{ mark: 'quiet', text: `${event.wireKind || 'unreadable event'} (preserved)` }];
  return [];
}

function messageLines({ source, llm_message: message }: MessageEvent): readonly TextLine[] {
  const content = textWithImages(message.content);
  if (content === '') return [];
  if (source === 'user') return [{ mark: 'user', text: `› ${content}` }];
  return [source === 'agent' ? { text: content } : { mark: 'quiet', text: `(${content})` }];
}

/** Returns the text of contents, and the number of the images in them. */
export function textWithImages(content: readonly Content[]): string {
  const count = content.flatMap((block) => (block.type === 'image' ? block.image_urls : [])).length;
  const images = count === 0 ? '' : count === 1 ? '[1 image]' : `[${count} images]`;
  return [textOf(content).trim(), images].filter((part) => part !== '').join('\n');
}

function hookLines({ hook_event_type: type, hook_command: command, ...hook }: HookExecutionEvent): readonly TextLine[] {
  const title = `⚙ ${type}: ${shortened(firstLines(command, 1))}`;
  if (hook.blocked) {
    return [{ mark: 'warning', text: `${title}\n  ✗ blocked: ${hook.reason ?? firstLines(hook.stderr, 2)}` }];
  }
  if (hook.success) return [{ mark: 'quiet', text: title }];
  const why = hook.error ?? (firstLines(hook.stderr, 2) || `exit ${hook.exit_code}`);
  return [{ mark: 'warning', text: `${title}\n  failed: ${why}` }];
}

function thoughtLines({ thought }: ActionEvent): readonly TextLine[] {
  const content = textOf(thought).trim();
  return content === '' ? [] : [{ text: content }];
}

function observationLines({ observation }: ObservationEvent): readonly TextLine[] {
  const failed = observation.is_error;
  const tasks = failed ? undefined : TaskTrackerObservation.read(observation);
  if (tasks) {
    const boxes = { todo: '☐', in_progress: '◐', done: '☑' };
    return tasks.task_list.map(({ title, status }) => ({ mark: 'quiet', text: `  ${boxes[status]} ${title}` }));
  }
  const terminal = TerminalObservation.read(observation);
  if (terminal) {
    const output = indented(outputExcerpt(textOf(terminal.content), terminal.full_output_save_dir));
    const code = terminal.exit_code;
    const end = code === -1 ? 'still running' : `exit ${code}`;
    return [
      ...(output === '' ? [] : [{ mark: failed ? ('error' as const) : ('quiet' as const), text: output }]),
      ...(code === undefined || code === 0 ? [] : [{ mark: 'warning' as const, text: `  ${end}` }]),
    ];
  }
  const content = textWithImages(observation.content);
  if (failed) return [{ mark: 'error', text: indented(firstLines(content, 3)) }];
  return content === '' || isRepetition(observation) ? [] : [{ mark: 'quiet', text: indented(outputExcerpt(content)) }];
}

/** Tools whose result only confirms the call, which is shown. */
const confirmations: ReadonlySet<string> = new Set([
  'ThinkObservation',
  'FinishObservation',
  'ApplyPatchObservation',
  'WriteFileObservation',
  'EditObservation',
]);

/** Tests whether the lines of the call contain the result, as those of an edit do. */
function isRepetition(observation: ObservationEvent['observation']): boolean {
  const edit = FileEditorObservation.read(observation) ?? PlanningFileEditorObservation.read(observation);
  return edit === undefined ? confirmations.has(observation.kind) : edit.command !== 'view';
}

type Mask = NonNullable<ReturnType<typeof maskFact.read>>;

/** Renders what is left out of requests since the provider refused it. */
function refusalLines({ event_ids: { length }, only, refusal = '' }: Mask): readonly TextLine[] {
  const content = only === undefined ? 'results' : 'images';
  const events = length === 1 ? '1 event' : `${length} events`;
  return [{ mark: 'warning', text: `The ${content} of ${events} are left out: ${firstLines(refusal, 2)}` }];
}

/** Lines of a summary that are shown. */
const summaryLength = 12;

/** Renders what a condensation forgot: the number of events, and the beginning of their summary. */
export function forgottenLines({ forgotten_event_ids: ids, summary }: Condensation): readonly TextLine[] {
  const { length } = ids;
  // One without events only ends a request to condense.
  if (length === 0) return [];
  const text = `… ${length === 1 ? '1 event is' : `${length} events are`} no longer shown to the model`;
  if (summary === undefined || summary.trim() === '') return [{ mark: 'quiet', text }];
  return [
    { mark: 'quiet', text },
    { mark: 'quiet', text: indented(firstLines(summary.trim(), summaryLength)) },
  ];
}
