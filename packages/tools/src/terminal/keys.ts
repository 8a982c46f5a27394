const namedKeys = new Map([
  ['ENTER', '\r'],
  ['TAB', '\t'],
  ['BS', '\u007F'],
  ['ESC', '\u001B'],
  ['UP', '\u001B[A'],
  ['DOWN', '\u001B[B'],
  ['RIGHT', '\u001B[C'],
  ['LEFT', '\u001B[D'],
  ['HOME', '\u001B[H'],
  ['END', '\u001B[F'],
  ['PGUP', '\u001B[5~'],
  ['PGDN', '\u001B[6~'],
]);

const textPrefix = 'TEXT:';
/** Keys that work without a terminal. */
const pipeKeys = new Set(['C-c', 'C-d', 'ENTER', 'TAB']);
/** Longest line, in bytes, that the line discipline of a terminal accepts; the rest of a longer line would be lost. */
const maxLineBytes = 4000;

/** Input to type into a program. */
export type Keystroke =
  | { readonly kind: 'key'; readonly name: string; readonly text: string }
  | { readonly kind: 'line'; readonly text: string };

/**
 * Parses an input: a named key, a control key (`C-c`, `CTRL-c`, `CTRL+c`, any letter, any case), or a line of text,
 * which gets the enter key appended. `TEXT:UP` is the line `UP`.
 */
export function keystroke(input: string): Keystroke {
  if (input.startsWith(textPrefix)) return { kind: 'line', text: `${input.slice(textPrefix.length)}\r` };
  const name = input.trim().toUpperCase();
  const key = namedKeys.get(name);
  if (key !== undefined) return { kind: 'key', name, text: key };
  const letter = /^(?:C-|CTRL[-+])([A-Z])$/.exec(name)?.[1];
  if (letter === undefined) return { kind: 'line', text: `${input}\r` };
  return { kind: 'key', name: `C-${letter.toLowerCase()}`, text: String.fromCodePoint(letter.charCodeAt(0) - 64) };
}

/** Returns the reason why a shell cannot receive an input; undefined if it can. `tty` is true for a terminal. */
export function untypableReason(stroke: Keystroke, tty: boolean): string | undefined {
  if (stroke.kind === 'key') {
    return tty || pipeKeys.has(stroke.name)
      ? undefined
      : `This shell has no terminal, so the key ${stroke.name} has no effect.`;
  }
  const tooLong = tty && stroke.text.split('\n').some((line) => Buffer.byteLength(line) > maxLineBytes);
  return tooLong
    ? `A line of input is longer than the ${maxLineBytes} bytes that a terminal takes; write it to a file instead.`
    : undefined;
}
