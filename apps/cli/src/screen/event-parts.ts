import { Spacer, Text, type Component } from '@earendil-works/pi-tui';
import { textOf, type BaseEvent } from '@varve/events';
import {
  ActionEvent,
  ConversationErrorEvent,
  MessageEvent,
  ObservationEvent,
  SystemPromptEvent,
  UserRejectObservation,
} from '@varve/events/kinds';
import {
  FileEditorAction,
  FileEditorObservation,
  FinishAction,
  FinishObservation,
  TaskTrackerObservation,
} from '@varve/events/payloads';
import {
  condenserLines,
  eventLines,
  partialReplyLines,
  safeText,
  textWithImages,
  type TextLine,
} from '@varve/events/text';
import { markStyles } from '../terminal/mark-styles.ts';
import type { Style } from '../terminal/output.ts';
import { editKind, editRows } from '../wording/edit-rows.ts';
import { folded, type Folding } from './folded.ts';
import { wrapLine } from './room-for-signs.ts';
import { markdownPart, rowsPart } from './rows.ts';
import type { Theme } from './theme.ts';

/** Where the parts of events are shown. */
export interface PartsContext {
  readonly theme: Theme;
  readonly folding: Folding;
  /** Directory of the agent; paths in it are shown relative to it. */
  readonly workspace: string;
}

/** Returns the parts of the transcript that show an event; none for bookkeeping. */
export function eventParts(event: BaseEvent, context: PartsContext): readonly Component[] {
  if (SystemPromptEvent.is(event) || ConversationErrorEvent.is(event)) return [];
  if (MessageEvent.is(event) && event.source === 'agent')
    return markdownParts(textOf(event.llm_message.content), context);
  if (MessageEvent.is(event) && event.source === 'user') return userParts(event, context);
  if (ActionEvent.is(event)) return actionParts(event, context);
  if (ObservationEvent.is(event)) return observationParts(event, context);
  if (UserRejectObservation.is(event)) return rejectionParts(event, context);
  return linesParts([...eventLines(event), ...condenserLines(event), ...partialReplyLines(event)], context);
}

/** Returns the parts of a text that the model wrote as Markdown. */
export function markdownParts(text: string, { theme }: Pick<PartsContext, 'theme'>): readonly Component[] {
  if (text.trim() === '') return [];
  return [new Spacer(1), markdownPart(text, theme)];
}

/** Returns a text of one or more rows. */
export function textPart(text: string, style: Style | undefined, theme: Theme): Component {
  const safe = safeText(text).replaceAll('\t', '    ');
  const rows = safe.split('\n').map((row) => (style ? theme.paint(style, row) : row));
  return new Text(rows.join('\n'), 0, 0);
}

/** Returns the parts of formatted lines; messages of the user get an empty row above them. */
export function linesParts(lines: readonly TextLine[], { theme, workspace }: PartsContext): readonly Component[] {
  return lines.flatMap(({ mark, text }) => [
    ...(mark === 'user' ? [new Spacer(1)] : []),
    painted(relativeTo(workspace, safeText(text)), mark === undefined ? undefined : markStyles[mark], theme),
  ]);
}

/** What the person typed, and folded what the session added to it. */
function userParts(event: MessageEvent, context: PartsContext): readonly Component[] {
  const { content } = event.llm_message;
  const typed = content.find(({ type }) => type === 'text');
  const added = content.filter((part) => part.type === 'text' && part !== typed);
  const visible = content.filter((part) => !added.includes(part));
  const own: MessageEvent = { ...event, llm_message: { ...event.llm_message, content: visible } };
  const { theme, folding } = context;
  const paint = (row: string): string => theme.paint('dim', row);
  return [
    ...linesParts(eventLines(own), context),
    ...added.map((part) => folded(textOf([part]), { folding, head: 3, tail: 0, paint })),
  ];
}

function actionParts(event: ActionEvent, context: PartsContext): readonly Component[] {
  const finish = FinishAction.read(event.action);
  const thought = markdownParts(textOf(event.thought), context);
  if (finish) return [...thought, ...markdownParts(finish.message, context)];
  const quiet: ActionEvent = { ...event, thought: [] };
  const lines = eventLines(quiet);
  // The difference follows with the result.
  const visible = FileEditorAction.is(event.action) ? lines.slice(0, 1) : lines;
  return [...thought, new Spacer(1), ...linesParts(visible, context)];
}

function observationParts(event: ObservationEvent, context: PartsContext): readonly Component[] {
  const { observation } = event;
  const { theme, folding } = context;
  if (FinishObservation.is(observation)) return [];
  if (TaskTrackerObservation.is(observation)) return linesParts(eventLines(event), context);
  const edit = FileEditorObservation.read(observation);
  const rows = edit && !observation.is_error && edit.command !== 'view' ? editRows(edit) : [];
  if (rows.length > 0) {
    const styleOf = { '+': 'green', '-': 'red', ' ': 'dim' } as const;
    const paint = (row: string): string => theme.paint(styleOf[editKind(row)], row);
    return [folded(rows.join('\n'), { folding, head: 20, tail: 5, paint })];
  }
  const text = textWithImages(observation.content);
  if (text.trim() === '') return linesParts(eventLines(event), context);
  const style = observation.is_error ? 'red' : 'dim';
  const end = eventLines(event).filter(({ mark }) => mark === 'warning');
  const paint = (row: string): string => theme.paint(style, row);
  return [folded(text, { folding, head: 4, tail: 6, paint }), ...linesParts(end, context)];
}

/** The reason contains the output of a command that the person ran instead. */
function rejectionParts({ rejection_reason: reason }: UserRejectObservation, { theme, folding }: PartsContext) {
  const paint = (row: string): string => theme.paint('yellow', row);
  return [folded(`✗ rejected: ${reason}`, { folding, head: 8, tail: 6, paint })];
}

function painted(text: string, style: Style | undefined, theme: Theme): Component {
  // A style ends with its row.
  const rows = (width: number): string[] =>
    text.split('\n').flatMap((line) => wrapLine(line, width).map((row) => (style ? theme.paint(style, row) : row)));
  return rowsPart(rows);
}

function relativeTo(workspace: string, text: string): string {
  return workspace === '' || workspace === '/' ? text : text.replaceAll(`${workspace}/`, '');
}
