import { once } from 'node:events';
import { WriteStream } from 'node:tty';
import { styleText } from 'node:util';
import { safeJson, safeText } from '@varve/events/text';

/** A stream of the process, or of a test. */
export type OutputStream = NodeJS.WritableStream & {
  readonly isTTY?: boolean;
  readonly columns?: number;
  readonly rows?: number;
};

/** Styles of a text. */
export type Style = 'bold' | 'dim' | 'red' | 'green' | 'yellow' | 'cyan';

/** Text with a style. Without colours it is printed as its text. */
export interface StyledText {
  readonly style: Style;
  readonly text: string;
}

/** Text of one output: the parts are concatenated. */
export type Printable = string | StyledText | readonly Printable[];

/**
 * Output of the command: the only way to print. Every text may come from a model, a server, a file or a log, so each
 * method makes it safe; styles and cursor movements are added outside of the text.
 */
export interface Output {
  readonly isTTY: boolean;
  /** Number of columns; 80 if unknown. */
  readonly columns: number;
  /** Number of rows; 24 if unknown. */
  readonly rows: number;
  /** True on a terminal that is not `dumb`: the last line can be cleared and printed again. */
  readonly canRedraw: boolean;
  /** Whether styles are printed. */
  readonly hasColours: boolean;
  /** Prints one line; line breaks in the text become spaces. */
  line(text: Printable): void;
  /** Prints text of several lines, and a line feed if it does not end with one. */
  text(text: Printable): void;
  /** Prints text without a line feed at its end, such as a status or a question. */
  partial(text: Printable): void;
  /** Clears the last lines, if they can be redrawn. */
  clearLines(count: number): void;
  /** Prints stored JSON as one line, with unprintable characters as `\u` escapes. */
  jsonLine(text: string): void;
  /** Prints a value as indented JSON. */
  json(value: unknown): void;
  /**
   * Prints many texts in blocks, each as `text` or `jsonLine` does, or, with its line feed, unchanged to a file or a
   * pipe and as `jsonLine` on a terminal. Waits for a slow reader.
   */
  all(texts: AsyncIterable<Printable>, form: 'text' | 'jsonLine' | 'exactLine'): Promise<void>;
}

/** Adds a style to a text. */
export function styled(style: Style, text: string): StyledText {
  return { style, text };
}

/** Returns the text of a printable without its styles, as it came. */
export function plainText(text: Printable): string {
  if (typeof text === 'string') return text;
  return 'style' in text ? text.text : text.map(plainText).join('');
}

/** Creates the output of a stream. */
export function outputOf(stream: OutputStream, env: Readonly<Record<string, string | undefined>>): Output {
  const colours = hasColours(stream, env);
  const isTTY = stream.isTTY === true;
  const canRedraw = isTTY && env['TERM'] !== 'dumb';
  const render = (text: Printable, clean: (text: string) => string): string => rendered(text, clean, colours);
  const textOf = (text: Printable): string => withLineFeed(render(text, safeText));
  return {
    isTTY,
    hasColours: colours,
    get columns() {
      return stream.columns || 80;
    },
    get rows() {
      return stream.rows || 24;
    },
    canRedraw,
    line: (text) => void stream.write(`${render(text, oneLine)}\n`),
    text: (text) => void stream.write(textOf(text)),
    partial: (text) => void stream.write(render(text, safeText)),
    clearLines: (count) => void (canRedraw && stream.write(`\r\u001B[2K${'\u001B[1A\u001B[2K'.repeat(count - 1)}`)),
    jsonLine: (text) => void stream.write(lineOfJson(text)),
    json(value) {
      const lines = JSON.stringify(value, undefined, 2).split('\n');
      stream.write(lines.map(lineOfJson).join(''));
    },
    async all(texts, form) {
      const jsonOf = (text: Printable): string => lineOfJson(plainText(text).trimEnd());
      const exact = isTTY ? jsonOf : plainText;
      await writeBlocks(stream, texts, { text: textOf, jsonLine: jsonOf, exactLine: exact }[form]);
    },
  };
}

/** Length from which a block is written: a write for each line takes longer than making the line. */
const blockLength = 16_384;

async function writeBlocks(
  stream: OutputStream,
  texts: AsyncIterable<Printable>,
  render: (text: Printable) => string,
): Promise<void> {
  let block = '';
  try {
    for await (const text of texts) {
      block += render(text);
      if (block.length < blockLength) continue;
      const isTaken = stream.write(block);
      block = '';
      if (!isTaken) await once(stream, 'drain');
    }
  } finally {
    stream.write(block);
  }
}

function withLineFeed(text: string): string {
  return text.endsWith('\n') ? text : `${text}\n`;
}

function rendered(text: Printable, clean: (text: string) => string, colours: boolean): string {
  if (typeof text === 'string') return clean(text);
  if (!('style' in text)) return text.map((part) => rendered(part, clean, colours)).join('');
  const safe = clean(text.text);
  return colours ? styleText(text.style, safe, { validateStream: false }) : safe;
}

function lineOfJson(text: string): string {
  return `${safeJson(text)}\n`;
}

/** Makes a text safe and puts it on one line. */
export function oneLine(text: string): string {
  return safeText(text).replaceAll('\n', ' ');
}

/**
 * Returns whether to use colours: on a terminal, except a `dumb` one and with NO_COLOR; FORCE_COLOR and CLICOLOR_FORCE
 * decide before that.
 *
 * @see https://no-color.org, https://bixense.com/clicolors
 */
function hasColours(
  { isTTY }: OutputStream,
  { NO_COLOR, ...env }: Readonly<Record<string, string | undefined>>,
): boolean {
  const { FORCE_COLOR: forced, CLICOLOR_FORCE: clicolor } = env;
  if (forced === undefined && clicolor && clicolor !== '0') return true;
  if (forced === undefined && (!isTTY || NO_COLOR)) return false;
  return WriteStream.prototype.getColorDepth(env) > 1;
}
