import type { CompleteTurn } from '../script/script.ts';
import { turnDeltas, type Split } from '../script/turn-deltas.ts';
import { scriptedUsage } from '../script/scripted-usage.ts';

type JsonObject = Readonly<Record<string, unknown>>;

const finishWords = {
  stop: 'stop',
  'tool-calls': 'tool_calls',
  length: 'length',
  'content-filter': 'content_filter',
  'unread-calls': 'stop',
  unknown: null,
} as const;

/** Converts a turn to a chat completion. */
export function chatCompletion(turn: CompleteTurn, model: string): JsonObject {
  const { text = null, reasoning, calls } = turn;
  const message = {
    role: 'assistant',
    content: text,
    ...(reasoning !== undefined && { reasoning_content: reasoning }),
    ...(calls.length > 0 && { tool_calls: calls.map(wireCall) }),
  };
  return {
    id: turn.id,
    object: 'chat.completion',
    created: 0,
    model,
    choices: [{ index: 0, message, finish_reason: finishWord(turn) }],
    ...usageOf(turn),
  };
}

/** Converts a turn to the chunks of a stream, without the end marker. */
export function chatChunks(turn: CompleteTurn, model: string, split: Split): readonly JsonObject[] {
  const chunk = (fields: JsonObject): JsonObject => ({
    id: turn.id,
    object: 'chat.completion.chunk',
    created: 0,
    model,
    ...fields,
  });
  const choice = (delta: JsonObject, finish: string | null = null): JsonObject =>
    chunk({ choices: [{ index: 0, delta, finish_reason: finish }] });
  const usage = usageOf(turn);
  return [
    ...chunkDeltas(turn, split).map((delta, index) => choice(index === 0 ? { role: 'assistant', ...delta } : delta)),
    choice({}, finishWord(turn)),
    ...(Object.keys(usage).length > 0 ? [chunk({ choices: [], ...usage })] : []),
  ];
}

function chunkDeltas(turn: CompleteTurn, split: Split): readonly JsonObject[] {
  return turnDeltas(turn, split).map((piece) => {
    if (piece.kind === 'text') return { content: piece.text };
    if (piece.kind === 'reasoning') return { reasoning_content: piece.text };
    const { index, name, arguments: json } = piece;
    const head = name === undefined ? {} : { id: turn.calls[index]?.id, type: 'function' };
    const call = { index, ...head, function: { ...(name !== undefined && { name }), arguments: json } };
    return { tool_calls: [call] };
  });
}

function wireCall({ id, name, arguments: json }: CompleteTurn['calls'][number]): JsonObject {
  return { id, type: 'function', function: { name, arguments: json } };
}

function finishWord({ finish, calls }: CompleteTurn): string | null {
  return finishWords[finish ?? (calls.length > 0 ? 'tool-calls' : 'stop')];
}

/**
 * Returns the field `usage` of a turn, empty without one.
 *
 * @param names What the protocol calls input and output.
 */
export function usageOf(
  { usage, costUsd }: Pick<CompleteTurn, 'usage' | 'costUsd'>,
  [input, output]: readonly [string, string] = ['prompt', 'completion'],
): JsonObject {
  const cost = costUsd === undefined ? {} : { cost: costUsd };
  if (!usage) return costUsd === undefined ? {} : { usage: cost };
  const counts = scriptedUsage(usage);
  const { cache_read_tokens: cached_tokens, cache_write_tokens, reasoning_tokens } = counts;
  return {
    usage: {
      [`${input}_tokens`]: counts.input_tokens,
      [`${output}_tokens`]: counts.output_tokens,
      total_tokens: counts.input_tokens + counts.output_tokens,
      [`${input}_tokens_details`]: { cached_tokens, cache_write_tokens },
      [`${output}_tokens_details`]: { reasoning_tokens },
      ...cost,
    },
  };
}
