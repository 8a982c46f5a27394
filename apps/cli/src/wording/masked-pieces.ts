import type { RedactionStream, Redactor } from '@varve/text';

/** Masks secrets in texts that arrive in pieces, several texts at the same time. */
export class MaskedPieces {
  readonly #redactor: Pick<Redactor, 'stream'>;
  readonly #streams = new Map<string, RedactionStream>();

  constructor(redactor: Pick<Redactor, 'stream'>) {
    this.#redactor = redactor;
  }

  /** Returns what can be shown after another piece of a text; the start of a possible secret is held back. */
  push(text: string, piece: string): string {
    const stream = this.#streams.get(text) ?? this.#redactor.stream();
    this.#streams.set(text, stream);
    return stream.push(piece);
  }

  /** Ends a text, and returns what was held back. */
  end(text: string): string {
    const rest = this.#streams.get(text)?.end() ?? '';
    this.#streams.delete(text);
    return rest;
  }
}
