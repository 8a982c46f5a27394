import type { Delta } from '../../delta.ts';
import type { CompleteTurn } from './script.ts';

/** Splits text into the pieces of a stream; joined, they are the text. */
export type Split = (text: string) => readonly string[];

/** Splits text into pieces of eight characters, about two tokens. */
export const eightCharChunks: Split = (text) => text.match(/.{1,8}/gsu) ?? [];

/** Returns the deltas of a turn: reasoning, text, then each call; every call has at least one delta. */
export function turnDeltas({ reasoning = '', text = '', calls }: CompleteTurn, split: Split): readonly PieceDelta[] {
  return [
    ...split(reasoning).map((piece) => ({ kind: 'reasoning', text: piece }) as const),
    ...split(text).map((piece) => ({ kind: 'text', text: piece }) as const),
    ...calls.flatMap(({ name, arguments: json }, index) => callPieces(name, split(json), index)),
  ];
}

type PieceDelta = Exclude<Delta, { readonly kind: 'reset' }>;

function callPieces(name: string, json: readonly string[], index: number): readonly PieceDelta[] {
  const [first = '', ...rest] = json;
  return [
    { kind: 'tool-call', index, name, arguments: first },
    ...rest.map((piece) => ({ kind: 'tool-call', index, arguments: piece }) as const),
  ];
}
