const escape = '\u001B';
const csi = String.raw`\[[0-?]*[ -/]*[@-~]`;
const osc = String.raw`\][^\u0007${escape}]*(?:\u0007|${escape}\\)`;
const dcs = String.raw`[PX^_][^${escape}]*${escape}\\`;
const short = String.raw`[ -/]*[0-OQ-WYZ\\${'`'}a-~]`;
const sequence = new RegExp(`${escape}(?:${csi}|${osc}|${dcs}|${short})`, 'g');
const unfinished = new RegExp(
  `${escape}(?:${String.raw`\[[0-?]*[ -/]*|\][^\u0007${escape}]*${escape}?|[PX^_][^${escape}]*${escape}?|[ -/]*`})$`,
);
const control = new RegExp(String.raw`[\u0000-\u0007\u000B\u000C\u000E-\u001F\u007F-\u009F]`, 'g');
const maxSequenceChars = 4096;

/** Replies of a terminal to queries by programs: status, cursor position, terminal type. */
const queryReplies = new Map([
  [`${escape}[5n`, `${escape}[0n`],
  [`${escape}[6n`, `${escape}[1;1R`],
  [`${escape}[c`, `${escape}[?1;2c`],
  [`${escape}[0c`, `${escape}[?1;2c`],
]);

/**
 * Removes control sequences from a stream of text except tab, line feed, carriage return and backspace. A null
 * character becomes U+FFFD. A sequence may be split anywhere between two chunks.
 */
export class ControlStripper {
  readonly #answer: (text: string) => void;
  #held = '';

  /** `answer` receives the text that a terminal would type in reply to a query. */
  constructor(answer: (text: string) => void = () => undefined) {
    this.#answer = answer;
  }

  push(chunk: string): string {
    const text = this.#held + chunk;
    this.#held = '';
    if (text.search(control) < 0) return text;
    const open = text.replace(sequence, (match) => this.#found(match));
    const at = open.search(unfinished);
    if (at < 0 || open.length - at > maxSequenceChars) return withoutControls(open);
    this.#held = open.slice(at);
    return withoutControls(open.slice(0, at));
  }

  /** Ends the stream and drops an incomplete sequence. */
  end(): void {
    this.#held = '';
  }

  #found(sequenceText: string): string {
    const answer = queryReplies.get(sequenceText);
    if (answer !== undefined) this.#answer(answer);
    return '';
  }
}

function withoutControls(text: string): string {
  return text.replace(control, (character) => (character === '\u0000' ? '\uFFFD' : ''));
}
