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
  const items: Record<string, unknown>[] = [];
  const positions = new Map<string, number>();
  const addPiece = (piece: Detail): number => {
    const key = keyOf(piece);
    const at = key === undefined ? undefined : positions.get(key);
    const before = at === undefined ? undefined : items[at];
    if (at === undefined || before === undefined) {
      if (key !== undefined) positions.set(key, items.length);
      items.push({ ...piece });
      return itemSize + JSON.stringify(piece).length;
    }
    return extendDetail(before, piece);
  };
  return { items, add: (pieces) => pieces.reduce((growth, piece) => growth + addPiece(piece), 0) };
}

/** An item without content needs memory, too. */
const itemSize = 100;

function keyOf({ index, type }: Detail): string | undefined {
  return index === undefined ? undefined : JSON.stringify([index, type]);
}

const growingFields = new Set(['text', 'summary', 'data']);

/**
 * Adds a piece to an item, in place, because a copy of the item for each piece takes time in proportion to both.
 * Returns the number of characters by which the item grows at most.
 */
function extendDetail(item: Record<string, unknown>, piece: Detail): number {
  let growth = 0;
  for (const [key, value] of Object.entries(piece)) {
    if (value === null || value === undefined) continue;
    const before = Object.hasOwn(item, key) ? item[key] : undefined;
    const isGrowing = growingFields.has(key) && typeof before === 'string' && typeof value === 'string';
    if (isGrowing) growth += value.length;
    else if (value !== before) growth += key.length + JSON.stringify(value).length;
    // An assignment to `__proto__` would not be a field of the item.
    Object.defineProperty(item, key, { ...ownField, value: isGrowing ? before + value : value });
  }
  return growth;
}

const ownField = { configurable: true, enumerable: true, writable: true } as const;

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
    const last = collected.at(-1);
    const isOpen = type === 'thinking' && last?.type === 'thinking' && last.signature === undefined;
    if (!isOpen) growth += itemSize;
    if (type === 'redacted_thinking') collected.push({ type: 'redacted_thinking', data });
    if (type !== 'thinking') continue;
    const whole = (isOpen ? last.thinking : '') + thinking;
    if (isOpen) collected.pop();
    collected.push({ type: 'thinking', thinking: whole, ...(signature !== '' && { signature }) });
  }
  return growth;
}
