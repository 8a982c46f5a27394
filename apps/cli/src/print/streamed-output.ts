import { stripVTControlCharacters } from 'node:util';
import type { Redactor } from '@varve/text';
import { MaskedPieces } from '../wording/masked-pieces.ts';
import type { Progress } from './progress.ts';

/** Rows of running output above the status. */
const shownRows = 6;
/** Characters that are kept of it: the rows are the last ones. */
const keptChars = 8000;

/** Shows the last rows of the output of a running call, until its result is stored and printed. */
export class StreamedOutput {
  readonly #progress: Progress;
  readonly #masks: MaskedPieces;
  #callId = '';
  #text = '';

  constructor(progress: Progress, redactor: Pick<Redactor, 'stream'>) {
    this.#progress = progress;
    this.#masks = new MaskedPieces(redactor);
  }

  /** Adds output of a call; that of another call replaces it. */
  add(chunk: string, callId: string): void {
    if (callId !== this.#callId) this.end();
    this.#callId = callId;
    this.#text = `${this.#text}${this.#masks.push('output', chunk)}`.slice(-keptChars);
    this.#progress.setRows(lastRows(this.#text).map((row) => `  ${row}`));
  }

  /** Removes the rows. */
  end(): void {
    if (this.#callId === '') return;
    this.#progress.setRows([]);
    this.#masks.end('output');
    this.#callId = '';
    this.#text = '';
  }
}

/** Returns the last rows of an output. A carriage return starts its line again, as progress bars do. */
function lastRows(output: string): readonly string[] {
  return stripVTControlCharacters(output)
    .split('\n')
    .map((line) => line.split('\r').findLast((part) => part !== '') ?? '')
    .filter((line) => line.trim() !== '')
    .slice(-shownRows);
}
