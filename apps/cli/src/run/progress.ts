import type { Usage } from '@varve/events/projections';
import { styled, type TerminalIo } from '../terminal/terminal-io.ts';

/** Columns for the `^C` that a terminal appends: a wrapped line would not be cleared completely. */
const spareColumns = 3;

/**
 * Status line at the bottom of a terminal: activity, duration and cost. Prints nothing if stderr is not a terminal.
 * Lines printed with `above` appear above it.
 */
export class Progress implements Disposable {
  readonly #io: TerminalIo;
  readonly #startedAt: number;
  readonly #now: () => number;
  readonly #timer: NodeJS.Timeout | undefined;
  #activity = 'starting';
  #usage: Usage | undefined;
  #isShown = false;
  #isHidden = false;

  constructor(io: TerminalIo, now: () => number = Date.now) {
    this.#io = io;
    this.#now = now;
    this.#startedAt = now();
    if (io.stderr.isTTY) this.#timer = setInterval(() => this.#draw(), 500).unref();
  }

  /** Prints a permanent line. */
  above(line: string): void {
    this.#clear();
    this.#io.stderr.write(`${line}\n`);
    this.#draw();
  }

  /** Sets the current activity, in one or two words. */
  set(activity: string, usage?: Usage): void {
    this.#activity = activity;
    if (usage) this.#usage = usage;
    this.#draw();
  }

  /** Hides the status line while the user types, so that it does not overwrite the input. */
  async hiddenDuring<T>(asking: () => Promise<T>): Promise<T> {
    this.#isHidden = true;
    this.#clear();
    try {
      return await asking();
    } finally {
      this.#isHidden = false;
    }
  }

  [Symbol.dispose](): void {
    clearInterval(this.#timer);
    this.#clear();
  }

  #draw(): void {
    if (!this.#io.stderr.isTTY || this.#isHidden) return;
    this.#clear();
    const width = (this.#io.stderr.columns ?? 80) - spareColumns;
    this.#io.stderr.write(styled(this.#io, 'dim', this.#text().slice(0, width)));
    this.#isShown = true;
  }

  #clear(): void {
    if (this.#isShown) this.#io.stderr.write('\r\u001B[2K');
    this.#isShown = false;
  }

  #text(): string {
    const seconds = Math.floor((this.#now() - this.#startedAt) / 1000);
    const time = `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, '0')}`;
    return [this.#activity, time, ...(this.#usage ? [usageText(this.#usage)] : [])].join(' · ');
  }
}

/** `3 calls · 12.4k tokens in, 0.8k out · $0.0123`; values without a report of the provider are `unknown`. */
export function usageText(usage: Usage): string {
  const { calls, input_tokens: input, output_tokens: output, cost_usd: cost, unpriced_calls: unpriced } = usage;
  const price = unpriced === calls ? 'cost unknown' : `$${cost.toFixed(4)}${unpriced > 0 ? ' and more' : ''}`;
  const tokens = input + output === 0 ? 'tokens unknown' : `${thousands(input)} tokens in, ${thousands(output)} out`;
  return `${calls} ${calls === 1 ? 'call' : 'calls'} · ${tokens} · ${price}`;
}

function thousands(count: number): string {
  return count < 1000 ? String(count) : `${(count / 1000).toFixed(1)}k`;
}
