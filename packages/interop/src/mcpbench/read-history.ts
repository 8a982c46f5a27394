import { text, type BaseEvent } from '@varve/events';
import { ChatLog, type ChatCall, type ChatPlace } from '../common/chat-log.ts';
import { byIndex, differencesOf } from '../common/differences.ts';
import { fieldsOf, stringOf } from '../common/foreign-json.ts';
import type { JsonLines } from '../common/json-lines.ts';
import type { ForeignLog, ReadOptions } from '../common/log-format.ts';
import { HistoryWriter, type HistoryLine } from './history-writer.ts';

/** Name of the format in facts. */
export const historyFormatName = 'mcpbench-history';

interface PlacedLine {
  readonly line: HistoryLine;
  readonly place: string;
}

/**
 * Reads the lines of a history in the order of their turns and steps. Lines of other kinds, such as the initial input,
 * are kept without an event.
 */
export function readHistory({ lines, problems }: JsonLines, { newId }: ReadOptions): ForeignLog {
  const reader = new HistoryReader(newId);
  for (const group of repliesIn(inOrder(lines.map(({ fields: line, place }) => ({ line, place }))))) reader.add(group);
  return reader.log.result(problems);
}

/** Sorts lines by turn and step. Lines without a turn follow the line before them. */
function inOrder(lines: readonly PlacedLine[]): readonly PlacedLine[] {
  let [turn, step] = [0, 0];
  const placed = lines.map((placedLine) => {
    const { turn: ownTurn, in_turn_steps: ownStep } = placedLine.line;
    if (typeof ownTurn === 'number') [turn, step] = [ownTurn, typeof ownStep === 'number' ? ownStep : 0];
    return { placedLine, turn, step };
  });
  return placed.toSorted((a, b) => a.turn - b.turn || a.step - b.step).map(({ placedLine }) => placedLine);
}

/** Joins the text of a reply and its calls, which follow each other in one turn. */
function repliesIn(lines: readonly PlacedLine[]): readonly (readonly PlacedLine[])[] {
  const groups: PlacedLine[][] = [];
  for (const placedLine of lines) {
    const last = groups.at(-1);
    const isSameTurn = last?.[0]?.line['turn'] === placedLine.line['turn'];
    const follows = last?.every(({ line }) => isMessage(line) || callOf(line)) ?? false;
    if (last && isSameTurn && follows && callOf(placedLine.line)) last.push(placedLine);
    else groups.push([placedLine]);
  }
  return groups;
}

class HistoryReader {
  readonly log: ChatLog;
  /** Writes what was read again, to compare it with the lines. No line has its name. */
  readonly #writer = new HistoryWriter({ agentName: '\0' });
  #count = 0;

  constructor(newId: () => string) {
    this.log = new ChatLog(newId);
  }

  add(group: readonly PlacedLine[]): void {
    const [first] = group;
    if (!first) return;
    const added = this.#addEvents(group, { place: first.place, time: stringOf(first.line['timestamp']) ?? '' });
    const shownFirst = isMessage(first.line) && group.length > 1 ? 2 : 1;
    for (const [index, event] of added.entries()) {
      const start = index === 0 ? 0 : shownFirst + index - 1;
      const lines = group.slice(start, index === added.length - 1 ? undefined : shownFirst + index);
      this.#keep(lines, event);
    }
    if (added.length === 0) this.#keep(group, undefined);
  }

  #addEvents(group: readonly PlacedLine[], at: ChatPlace): readonly BaseEvent[] {
    const [first] = group;
    const line = first?.line ?? {};
    const raw = fieldsOf(line['raw_content']);
    if (line['type'] === 'user_input') return this.log.addMessage('user', blocks(line['content']), at);
    if (line['item_type'] === 'tool_call_output_item') {
      return this.log.addResult(stringOf(raw?.['call_id']) ?? '', blocks(raw?.['output']), { ...at, isError: false });
    }
    const calls = group.flatMap((placedLine) => callOf(placedLine.line) ?? []);
    if (!isMessage(line) && calls.length === 0) {
      if (line['type'] !== 'initial_input') this.log.problems.push({ place: at.place, reason: 'Its kind is unknown.' });
      return [];
    }
    const replyText = isMessage(line) ? shownText(raw?.['content']) : '';
    return this.log.addReply({ id: `reply ${this.#count++}`, text: replyText, calls }, at);
  }

  #keep(lines: readonly PlacedLine[], event: BaseEvent | undefined): void {
    const written = event ? (this.#writer.next(event) ?? []) : [];
    const { changed, removed } = differencesOf(byIndex(written), byIndex(lines.map(({ line }) => line)));
    for (const { line } of lines) this.#writer.follow(line);
    if (changed.length + removed.length === 0) return;
    const value = { format: historyFormatName, ...(event && { event_id: event.id }), changed, removed };
    this.log.keep(value, lines[0]?.place ?? '');
  }
}

function isMessage(line: HistoryLine): boolean {
  return line['item_type'] === 'message_output_item';
}

function callOf(line: HistoryLine): ChatCall | undefined {
  if (line['item_type'] !== 'tool_call_item') return undefined;
  const { call_id: id, name, arguments: written } = fieldsOf(line['raw_content']) ?? {};
  const args = typeof written === 'string' ? written : JSON.stringify(written ?? {});
  return { id: stringOf(id) ?? '', name: stringOf(name) ?? 'unknown', arguments: args };
}

function shownText(content: unknown): string {
  const list: readonly unknown[] = Array.isArray(content) ? content : [{ text: content }];
  return list.map((part) => stringOf(fieldsOf(part)?.['text']) ?? '').join('');
}

function blocks(content: unknown) {
  const contentText = typeof content === 'string' ? content : content === undefined ? '' : JSON.stringify(content);
  return contentText === '' ? [] : [text(contentText)];
}
