import { textOf, type BaseEvent } from '@varve/events';
import { ActionEvent, MessageEvent } from '@varve/events/kinds';
import { fieldsOf, foreignJson, integerOf, type Fields } from '../common/foreign-json.ts';
import { isAnyResult, messageText, resultText } from './logs.ts';

/** Line of a `history.jsonl`, as its JSON. */
export type HistoryLine = Fields;

/** Options of a {@link HistoryWriter}. */
export interface HistoryWriterOptions {
  /** Name of the agent in its lines. Default `Assistant`. */
  readonly agentName?: string;
  /** End of the file to continue, of any length: the last whole line in it has the last turn. Default a new file. */
  readonly tail?: string;
}

/**
 * Writes events as lines of a history, one by one and in order. A message of the user and a reply with its results are
 * a turn each. To continue a file, its end is enough, however long it is.
 */
export class HistoryWriter {
  readonly #agentName: string;
  #turn: number;
  #step: number;
  #reply: string | undefined;

  constructor({ agentName = 'Assistant', tail = '' }: HistoryWriterOptions = {}) {
    this.#agentName = agentName;
    [this.#turn, this.#step] = [-1, 0];
    const last = lastLine(tail);
    if (last) this.follow(last);
  }

  /** Returns the lines of the next event; undefined if the format has none. Pass the final ones to {@link follow}. */
  next(event: BaseEvent): readonly HistoryLine[] | undefined {
    const { timestamp } = event;
    if (MessageEvent.is(event)) {
      this.#startTurn();
      if (event.llm_message.role === 'assistant') return [this.#message(messageText(event), timestamp)];
      return [{ ...this.#place(), timestamp, type: 'user_input', content: messageText(event) }];
    }
    if (ActionEvent.is(event)) return this.#call(event);
    if (!isAnyResult(event)) return undefined;
    return [this.#item('tool_call_output_item', { call_id: event.tool_call_id, output: resultText(event) }, timestamp)];
  }

  /** Continues after a line, such as the last one of a file. */
  follow(line: HistoryLine): void {
    const [turn, step] = [integerOf(line['turn']), integerOf(line['in_turn_steps'])];
    if (turn === undefined) return;
    this.#turn = turn;
    this.#step = (step ?? -1) + 1;
  }

  #call({ thought, tool_call, llm_response_id, timestamp }: ActionEvent): readonly HistoryLine[] {
    if (this.#reply !== llm_response_id) this.#startTurn();
    this.#reply = llm_response_id;
    const text = textOf(thought);
    const { id: call_id, name, arguments: written } = tool_call;
    const message = text === '' ? [] : [this.#message(text, timestamp)];
    return [...message, this.#item('tool_call_item', { call_id, name, arguments: written }, timestamp)];
  }

  #message(text: string, timestamp: string): HistoryLine {
    const content = [{ type: 'output_text', text: text }];
    return this.#item('message_output_item', { role: 'assistant', content }, timestamp);
  }

  #item(item_type: string, raw_content: Fields, timestamp: string): HistoryLine {
    return { ...this.#place(), timestamp, agent: this.#agentName, item_type, raw_content };
  }

  #startTurn(): void {
    this.#turn++;
    this.#step = 0;
    this.#reply = undefined;
  }

  #place(): Fields {
    return { in_turn_steps: this.#step++, turn: Math.max(0, this.#turn) };
  }
}

/** Returns events as lines to append to the file whose end is `tail`. */
export function historyText(events: readonly BaseEvent[], options: HistoryWriterOptions = {}): string {
  const writer = new HistoryWriter(options);
  const lines = events.flatMap((event) => writer.next(event) ?? []).map((line) => `${JSON.stringify(line)}\n`);
  // A crash may have cut off the last line.
  const isCut = options.tail !== undefined && options.tail !== '' && !options.tail.endsWith('\n');
  return `${isCut && lines.length > 0 ? '\n' : ''}${lines.join('')}`;
}

function lastLine(tail: string): HistoryLine | undefined {
  const lines = tail.trimEnd().split('\n').toReversed().values();
  return lines.map((line) => fieldsOf(foreignJson(line))).find((fields) => integerOf(fields?.['turn']) !== undefined);
}
