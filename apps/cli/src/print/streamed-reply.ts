import type { Delta } from '@varve/llm';
import type { Redactor } from '@varve/text';
import type { TerminalIo } from '../terminal/terminal-io.ts';
import type { codeRows } from '../terminal/highlight.ts';
import { MarkdownRows } from '../terminal/markdown-rows.ts';
import { MaskedPieces } from '../wording/masked-pieces.ts';
import type { Progress } from './progress.ts';

/** Options of a {@link StreamedReply}. */
export interface StreamedReplyOptions {
  readonly progress: Progress;
  readonly io: Pick<TerminalIo, 'stderr'>;
  /** Pieces arrive before anything masks them. */
  readonly redactor: Pick<Redactor, 'stream'>;
  /** Colours code; absent without colours, where Markdown stays as it is written. */
  readonly highlight?: typeof codeRows | undefined;
}

/**
 * Prints a reply of the model while it arrives: complete rows stay, the row that is not complete is above the status,
 * and the end of the reasoning is in the status.
 */
export class StreamedReply {
  readonly #progress: Progress;
  readonly #rows: MarkdownRows;
  readonly #masks: MaskedPieces;
  #printed = '';
  #reasoning = '';

  constructor({ progress, io, redactor, highlight }: StreamedReplyOptions) {
    this.#progress = progress;
    this.#masks = new MaskedPieces(redactor);
    // One column is left for terminals that start a new row in the last one.
    this.#rows = new MarkdownRows(() => io.stderr.columns - 1, highlight);
  }

  /** Prints a piece. */
  add(delta: Delta): void {
    if (delta.kind === 'text') this.#addText(this.#masks.push(delta.kind, delta.text));
    else if (delta.kind === 'reasoning') this.#addReasoning(this.#masks.push(delta.kind, delta.text));
    else if (delta.kind === 'reset') this.#reset();
  }

  /**
   * Ends the reply when it is stored, and reports whether its text is printed. A reply of which only a part was printed
   * is not: it was masked or cut differently.
   */
  end(text: string): boolean {
    this.#addText(this.#masks.end('text'));
    const isPrinted = text.trim() !== '' && this.#printed.trim() === text.trim();
    this.#close();
    return isPrinted;
  }

  #addText(text: string): void {
    if (text === '' || (this.#printed === '' && text.trim() === '')) return;
    if (this.#printed === '') this.#progress.above('\n');
    const added = this.#printed === '' ? text.trimStart() : text;
    this.#printed += added;
    for (const row of this.#rows.push(added)) this.#progress.above([row, '\n']);
    this.#progress.setRows([this.#rows.rest], 'text');
  }

  #addReasoning(text: string): void {
    this.#reasoning = `${this.#reasoning}${text}`.slice(-200);
    this.#progress.setRows([`… ${this.#reasoning.trim().replaceAll(/\s+/g, ' ')}`], 'reasoning');
  }

  #reset(): void {
    const wasPrinted = this.#printed !== '';
    this.#close();
    if (wasPrinted) this.#progress.lineAbove('(The reply broke off; the request is sent again.)');
  }

  #close(): void {
    if (this.#rows.rest !== '') for (const row of this.#rows.end()) this.#progress.above([row, '\n']);
    this.#progress.setRows([]);
    this.#masks.end('text');
    this.#masks.end('reasoning');
    this.#printed = '';
    this.#reasoning = '';
  }
}
