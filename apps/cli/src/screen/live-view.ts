import { Container, Spacer, Text, truncateToWidth, type Component } from '@earendil-works/pi-tui';
import { stripVTControlCharacters } from 'node:util';
import { safeText, type TextLine } from '@varve/events/text';
import type { Delta } from '@varve/llm';
import type { Redactor } from '@varve/text';
import { MaskedPieces } from '../wording/masked-pieces.ts';
import { markdownPart, rowsPart } from './rows.ts';
import type { Theme } from './theme.ts';

const shownRows = 6;
const keptChars = 8000;

/** Shows what is not stored yet: the reply that arrives, and the output of the running call. */
export class LiveView extends Container {
  readonly #theme: Theme;
  #masks: MaskedPieces | undefined;
  #text = '';
  #reasoning = '';
  #output = '';
  #outputOf = '';
  #title = '';

  constructor(theme: Theme) {
    super();
    this.#theme = theme;
  }

  /** Sets what masks secrets: pieces arrive before they are masked. */
  setRedactor(redactor: Pick<Redactor, 'stream'>): void {
    this.#masks = new MaskedPieces(redactor);
  }

  /** Shows a piece of a reply. */
  addDelta(delta: Delta): void {
    if (delta.kind === 'reset') this.endReply();
    if (delta.kind === 'text') this.#text += this.#masked('text', delta.text);
    if (delta.kind === 'reasoning')
      this.#reasoning = `${this.#reasoning}${this.#masked('reasoning', delta.text)}`.slice(-keptChars);
    this.#update();
  }

  /** Shows output of a call, below lines that name it. */
  addOutput(chunk: string, callId: string, title: readonly TextLine[] = []): void {
    if (this.#outputOf !== callId) this.endOutput();
    this.#outputOf = callId;
    this.#title = title.map(({ text }) => text).join('\n');
    this.#output = `${this.#output}${this.#masked('output', chunk)}`.slice(-keptChars);
    this.#update();
  }

  /** Removes the reply when it is stored, and returns the text that was visible. */
  endReply(): string {
    const text = this.#text;
    this.#text = '';
    this.#reasoning = '';
    this.#masks?.end('text');
    this.#masks?.end('reasoning');
    this.#update();
    return text;
  }

  /** Removes the output when the result is stored. */
  endOutput(): void {
    this.#output = '';
    this.#outputOf = '';
    this.#masks?.end('output');
    this.#update();
  }

  #masked(kind: string, piece: string): string {
    return this.#masks?.push(kind, piece) ?? piece;
  }

  #update(): void {
    this.clear();
    const text = this.#text.trim();
    if (text !== '') {
      this.addChild(new Spacer(1));
      this.addChild(markdownPart(text, this.#theme));
    } else if (this.#reasoning !== '') {
      const end = safeText(this.#reasoning).replaceAll(/\s+/g, ' ').slice(-240);
      this.addChild(new Text(this.#theme.paint('dim', `… ${end.trim()}`), 0, 0));
    }
    if (this.#output === '') return;
    if (this.#title !== '') this.addChild(new Text(this.#theme.paint('dim', this.#title), 0, 0));
    this.addChild(outputRows(this.#output, this.#theme));
  }
}

/** Returns the last rows of an output. */
function outputRows(output: string, theme: Theme): Component {
  const rows = safeText(stripVTControlCharacters(output).replaceAll('\r\n', '\n').replaceAll('\r', '\n'))
    .replaceAll('\t', '    ')
    .split('\n')
    .filter((row) => row.trim() !== '')
    .slice(-shownRows);
  return rowsPart((width) => rows.map((row) => theme.paint('dim', truncateToWidth(`  ${row}`, width))));
}
