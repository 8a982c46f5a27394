import type { Usage } from '@varve/events/projections';
import { fitted, fittedEnd } from '../terminal/columns.ts';
import { oneLine, styled, type Output, type Printable } from '../terminal/output.ts';
import { firstRow } from '../terminal/rows.ts';
import { usageText } from '../wording/usage-text.ts';

/** Columns for the `^C` that a terminal appends: a wrapped line would not be cleared completely. */
const spareColumns = 3;

/** Kind of the rows above the status. */
export type RowKind = 'text' | 'reasoning' | 'output';

/**
 * Status line at the bottom of a terminal: activity, duration and cost. Prints nothing if stderr cannot
 * redraw a line. Lines printed with `above` appear above it.
 */
export class Progress implements Disposable {
  readonly #output: Output;
  readonly #startedAt: number;
  readonly #now: () => number;
  readonly #timer: NodeJS.Timeout | undefined;
  #activity = 'starting';
  #usage: Usage | undefined;
  /** Rows above the status that are replaced. */
  #rows: readonly string[] = [];
  #kind: RowKind = 'output';
  #shownRows = 0;
  #isHidden = false;
  /** Texts that came while the user was asked: below the question they could pass for another one. */
  readonly #held: (() => void)[] = [];

  constructor({ stderr }: { readonly stderr: Output }, now: () => number = Date.now) {
    this.#output = stderr;
    this.#now = now;
    this.#startedAt = now();
    if (stderr.canRedraw) this.#timer = setInterval(() => this.#draw(), 500).unref();
  }

  /** Prints a permanent text of one or more lines; one that comes while the user is asked, after the answer. */
  above(text: Printable): void {
    this.#print(() => this.#output.text(text));
  }

  /** Prints a permanent line like `above`. Line breaks become spaces: what it quotes must not look like other lines. */
  lineAbove(text: Printable): void {
    this.#print(() => this.#output.line(text));
  }

  /** Sets the current activity, in one or two words. */
  set(activity: string, usage?: Usage): void {
    this.#activity = activity;
    if (usage) this.#usage = usage;
    this.#draw();
  }

  /** Replaces the rows above the status, which show what is not complete. */
  setRows(rows: readonly string[], kind: RowKind = 'output'): void {
    this.#rows = rows.filter((row) => row.trim() !== '');
    this.#kind = kind;
    this.#draw();
  }

  /** Holds back what is printed while the user types, so that nothing overwrites the question or the input. */
  async hiddenDuring<T>(asking: () => Promise<T>): Promise<T> {
    this.#isHidden = true;
    this.#clear();
    try {
      return await asking();
    } finally {
      this.#isHidden = false;
      this.#printHeld();
    }
  }

  [Symbol.dispose](): void {
    clearInterval(this.#timer);
    this.#clear();
  }

  #print(print: () => void): void {
    if (this.#isHidden) {
      this.#held.push(print);
      return;
    }
    this.#clear();
    print();
    this.#draw();
  }

  #printHeld(): void {
    for (const print of this.#held.splice(0)) this.#print(print);
  }

  #draw(): void {
    if (!this.#output.canRedraw || this.#isHidden) return;
    this.#clear();
    const width = this.#output.columns - spareColumns;
    for (const row of this.#rows) this.#output.line(shownRow(row, this.#kind, width));
    this.#output.partial(styled('dim', firstRow(fitted(this.#text(), width), width)));
    this.#shownRows = this.#rows.length + 1;
  }

  #clear(): void {
    if (this.#shownRows > 0) this.#output.clearLines(this.#shownRows);
    this.#shownRows = 0;
  }

  #text(): string {
    const seconds = Math.floor((this.#now() - this.#startedAt) / 1000);
    const time = `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, '0')}`;
    return [this.#activity, time, ...(this.#usage ? [usageText(this.#usage)] : [])].join(' · ');
  }
}

/** Returns a row that fits: of the reasoning its end, which is the newest. */
function shownRow(row: string, kind: RowKind, width: number): Printable {
  if (kind === 'text') return firstRow(oneLine(row), width + spareColumns - 1);
  return styled('dim', kind === 'reasoning' ? fittedEnd(row, width) : firstRow(oneLine(row), width));
}
