import type { CompleteTurn } from '../script/script.ts';
import { turnDeltas, type Split } from '../script/turn-deltas.ts';
import { usageOf } from './chat-completion.ts';

type JsonObject = Readonly<Record<string, unknown>>;

/** Converts a turn to a response object. */
export function responseOf(turn: CompleteTurn, model: string): JsonObject {
  const { finish } = turn;
  const isCut = finish === 'length' || finish === 'content-filter';
  const reason = finish === 'length' ? 'max_output_tokens' : 'content_filter';
  return {
    id: turn.id,
    object: 'response',
    model,
    status: isCut ? 'incomplete' : 'completed',
    error: null,
    incomplete_details: isCut ? { reason } : null,
    output: itemsOf(turn),
    ...usageOf(turn, ['input', 'output']),
  };
}

/** Converts a turn to the events of a stream. */
export function responseEventsOf(turn: CompleteTurn, model: string, split: Split): readonly JsonObject[] {
  const whole = responseOf(turn, model);
  const output = itemsOf(turn);
  const started = { id: turn.id, object: 'response', model, status: 'in_progress', output: [] };
  const final = whole['status'] === 'incomplete' ? 'response.incomplete' : 'response.completed';
  const events = [
    { type: 'response.created', response: started },
    ...output.flatMap((item, index) => itemEvents(item, index, { turn, split })),
    { type: final, response: whole },
  ];
  return events.map((event, sequence_number) => ({ ...event, sequence_number }));
}

interface Item {
  readonly type: 'reasoning' | 'message' | 'function_call';
  readonly id: string;
  /** Index of the call in the turn. */
  readonly call?: number;
  readonly [field: string]: unknown;
}

function itemsOf({ id, text = '', reasoning = '', calls }: CompleteTurn): readonly Item[] {
  const summary = { type: 'summary_text', text: reasoning };
  const thought: Item = {
    type: 'reasoning',
    id: `rs_${id}`,
    summary: [summary],
    encrypted_content: `sealed:${reasoning}`,
  };
  const content = [{ type: 'output_text', text, annotations: [] }];
  return [
    ...(reasoning === '' ? [] : [thought]),
    ...(text === ''
      ? []
      : [{ type: 'message', id: `msg_${id}`, role: 'assistant', status: 'completed', content } as const]),
    ...calls.map(({ id: call, name, arguments: json }): Item => ({
      type: 'function_call',
      id: `fc_${call}`,
      call_id: call,
      name,
      arguments: json,
      status: 'completed',
    })),
  ];
}

function itemEvents(
  item: Item,
  place: number,
  { turn, split }: { turn: CompleteTurn; split: Split },
): readonly JsonObject[] {
  const at = { output_index: place, item_id: item.id };
  const empty = { reasoning: { summary: [] }, message: { content: [] }, function_call: { arguments: '' } }[item.type];
  const { text, reasoning, calls, ...rest } = turn;
  const call = calls.findIndex((each) => item['call_id'] === each.id);
  const wholeTurn: CompleteTurn = {
    ...rest,
    calls: call === -1 ? [] : calls.slice(call, call + 1),
    ...(item.type === 'message' && text !== undefined && { text }),
    ...(item.type === 'reasoning' && reasoning !== undefined && { reasoning }),
  };
  return [
    { type: 'response.output_item.added', output_index: place, item: { ...item, ...empty } },
    ...turnDeltas(wholeTurn, split).map((piece) => pieceEvent(piece, at)),
    { type: 'response.output_item.done', output_index: place, item },
  ];
}

function pieceEvent(piece: ReturnType<typeof turnDeltas>[number], at: JsonObject): JsonObject {
  if (piece.kind === 'text') return { type: 'response.output_text.delta', ...at, content_index: 0, delta: piece.text };
  if (piece.kind === 'tool-call')
    return { type: 'response.function_call_arguments.delta', ...at, delta: piece.arguments };
  return { type: 'response.reasoning_summary_text.delta', ...at, summary_index: 0, delta: piece.text };
}
