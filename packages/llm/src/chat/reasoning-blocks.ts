import type { Message } from '@varve/events';
import type { WireAnswerMessage } from './wire-answer.ts';

type Detail = Readonly<Record<string, unknown>>;

/** Assembles the items of `reasoning_details`. */
export interface DetailAssembly {
  readonly items: readonly Detail[];
  /** Adds pieces and returns the number of characters by which the items grow at most. */
  add(pieces: readonly Detail[]): number;
}

/**
 * Starts the assembly of `reasoning_details`: pieces with the same index and type are one item, whose text grows. The
 * items are opaque signed data and must be sent back exactly as assembled here.
 *
 * @see https://openrouter.ai/docs/use-cases/reasoning-tokens
 */
export function detailAssembly(): DetailAssembly {
  const items: Detail[] = [];
  const positions = new Map<string, number>();
  const addPiece = (piece: Detail): number => {
    const key = keyOf(piece);
    const at = key === undefined ? undefined : positions.get(key);
    const before = at === undefined ? undefined : items[at];
    if (at === undefined || before === undefined) {
      if (key !== undefined) positions.set(key, items.length);
      items.push(piece);
      return itemSize + JSON.stringify(piece).length;
    }
    const [joined, growth] = joinDetails(before, piece);
    items[at] = joined;
    return growth;
  };
  return { items, add: (pieces) => pieces.reduce((growth, piece) => growth + addPiece(piece), 0) };
}

/** An item without content needs memory, too. */
const itemSize = 100;

function keyOf({ index, type }: Detail): string | undefined {
  return index === undefined ? undefined : JSON.stringify([index, type]);
}

const growingFields = new Set(['text', 'summary', 'data']);

function joinDetails(item: Detail, piece: Detail): readonly [joined: Detail, growth: number] {
  let growth = 0;
  const entries = Object.entries(piece).filter(([, value]) => value !== null && value !== undefined);
  const joined = entries.map(([key, value]) => {
    const before = item[key];
    if (growingFields.has(key) && typeof before === 'string' && typeof value === 'string') {
      growth += value.length;
      return [key, before + value];
    }
    if (value !== before) growth += JSON.stringify(value).length;
    return [key, value];
  });
  return [{ ...item, ...Object.fromEntries(joined) }, growth];
}

type ThinkingBlock = Message['thinking_blocks'][number];

/**
 * Appends pieces of `thinking_blocks` to `collected`, in place: a block grows until its signature arrives. Signed
 * blocks must be sent back exactly as assembled here. Returns the number of characters by which they grow.
 *
 * @see https://docs.litellm.ai/docs/reasoning_content
 */
export function mergeThinking(collected: ThinkingBlock[], pieces: WireAnswerMessage['thinking_blocks']): number {
  let growth = 0;
  for (const { type, thinking, signature, data } of pieces) {
    growth += thinking.length + signature.length + data.length;
    if (signature !== '' || data !== '') growth += itemSize;
    if (type === 'redacted_thinking') collected.push({ type: 'redacted_thinking', data });
    if (type !== 'thinking') continue;
    const last = collected.at(-1);
    const isOpen = last?.type === 'thinking' && last.signature === undefined;
    const whole = (isOpen ? last.thinking : '') + thinking;
    if (isOpen) collected.pop();
    collected.push({ type: 'thinking', thinking: whole, ...(signature !== '' && { signature }) });
  }
  return growth;
}
