import type { Component } from '@earendil-works/pi-tui';
import { safeText } from '@varve/events/text';
import { wrapLine } from './room-for-signs.ts';
import { rowsPart } from './rows.ts';

/** Whether long texts are shown whole, for all of them. */
export interface Folding {
  isOpen: boolean;
}

/** Options of {@link folded}. */
export interface FoldedOptions {
  readonly folding: Folding;
  /** Rows at the start and the end of a folded text. */
  readonly head: number;
  readonly tail: number;
  readonly paint: (text: string) => string;
}

/** Returns a text of which only the first and last rows are shown until the person asks for all. */
export function folded(text: string, { folding, head, tail, paint }: FoldedOptions): Component {
  const lines = safeText(text).trimEnd().split('\n');
  const count = lines.length;
  const gap = `… ${count - head - tail} of ${count} lines (Ctrl-O shows them)`;
  const rowsFor = (width: number): string[] => {
    const isCut = !folding.isOpen && count > head + tail + 1;
    const rows = isCut ? [...lines.slice(0, head), gap, ...lines.slice(count - tail)] : lines;
    return rows.flatMap((line) => wrapLine(line, Math.max(1, width - 2)).map((row) => `  ${paint(row)}`));
  };
  return rowsPart(rowsFor, (width) => `${width} ${folding.isOpen}`);
}
