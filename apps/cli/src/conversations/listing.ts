import type { Summary } from '@varve/storage';
import { metaFields } from './meta-fields.ts';
import { columnsOf, fitted, padded } from '../terminal/columns.ts';
import { age, eventCount, localTime } from './formats.ts';
import type { TerminalIo } from '../terminal/terminal-io.ts';

/** Where conversations are listed, and when: UTC milliseconds. */
interface Listing {
  readonly io: TerminalIo;
  readonly now: number;
}

/** Column of a listing on a terminal. */
interface Column {
  readonly text: (summary: Summary, listing: Listing) => string;
  /** Columns with a higher number are left out first on a narrow terminal; 0 is always shown. */
  readonly rank: number;
  readonly maxWidth: number;
}

const columns: readonly Column[] = [
  { rank: 0, maxWidth: 8, text: ({ id }) => id.slice(0, 8) },
  { rank: 0, maxWidth: 16, text: ({ updatedAt }, listing) => shownTime(updatedAt, listing) },
  { rank: 0, maxWidth: 12, text: ({ meta }) => shownStatus(metaFields(meta).status) },
  { rank: 2, maxWidth: 9, text: ({ meta }) => shownCost(metaFields(meta).costUsd) },
  { rank: 3, maxWidth: 11, text: ({ head }) => eventCount(head) },
  { rank: 1, maxWidth: 20, text: ({ meta }) => metaFields(meta).model },
  { rank: 4, maxWidth: 40, text: ({ meta }, { io }) => shownDirectory(metaFields(meta).workspace, io) },
];

/** Columns that are reserved for titles before another column is added. */
const titleWidth = 32;
const gap = 2;

/**
 * Formats conversations as lines: on a terminal with short ids and as many columns as fit, elsewhere with full ids and
 * all columns.
 */
export function listingLines(summaries: readonly Summary[], io: TerminalIo, now: number): readonly string[] {
  const listing = { io, now };
  const { isTTY, columns: width } = io.stdout;
  const visible = isTTY ? fittingColumns(summaries, listing, width - 1) : columns;
  const widths = visible.map((column) => widthOf(column, summaries, listing));
  return summaries.map((summary) => {
    const cells = visible.map((column, index) => {
      const whole = !isTTY && index === 0;
      return whole ? summary.id : padded(cellOf(column, summary, listing), widths[index] ?? 0);
    });
    const used = cells.reduce((sum, cell) => sum + columnsOf(cell) + gap, 0);
    const title = fitted(metaFields(summary.meta).title, isTTY ? Math.max(1, width - 1 - used) : Infinity);
    return [...cells, title].join(' '.repeat(gap)).trimEnd();
  });
}

/** Adds columns by their rank while the titles keep their space. */
function fittingColumns(summaries: readonly Summary[], listing: Listing, width: number): readonly Column[] {
  const fitting = new Set<Column>();
  let left = width - titleWidth;
  for (const column of columns.toSorted((a, b) => a.rank - b.rank)) {
    const columnWidth = widthOf(column, summaries, listing);
    if (columnWidth === 0) continue;
    left -= columnWidth + gap;
    if (column.rank === 0 || left >= 0) fitting.add(column);
  }
  return columns.filter((column) => fitting.has(column));
}

function widthOf(column: Column, summaries: readonly Summary[], listing: Listing): number {
  return summaries.reduce((width, summary) => Math.max(width, columnsOf(cellOf(column, summary, listing))), 0);
}

function cellOf({ text, maxWidth }: Column, summary: Summary, listing: Listing): string {
  return fitted(text(summary, listing), maxWidth);
}

/** Programs that read the listing get the date. */
function shownTime(time: number, { io, now }: Listing): string {
  return io.stdout.isTTY ? age(time, now) : localTime(time);
}

function shownCost(costUsd: number | undefined): string {
  return costUsd === undefined ? '' : `$${costUsd.toFixed(4)}`;
}

function shownStatus(status: string): string {
  return status === 'waiting_for_confirmation' ? 'waiting' : status;
}

/** Replaces the home directory by `~`. */
function shownDirectory(directory: string, { env }: TerminalIo): string {
  const home = env['HOME'];
  return home && directory.startsWith(`${home}/`) ? `~${directory.slice(home.length)}` : directory;
}
