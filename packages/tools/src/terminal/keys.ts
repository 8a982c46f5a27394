const named = new Map([
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

/** One thing to type into a program. */
export type Keystroke =
  | { readonly kind: 'key'; readonly name: string; readonly text: string }
  | { readonly kind: 'line'; readonly text: string };

/**
 * What an input means: a named key, a control key (`C-c`, `CTRL-c`, `CTRL+c`, any letter, any case), or a line of text
 * that the enter key ends. `TEXT:UP` is the line `UP`.
 */
export function keystroke(input: string): Keystroke {
  if (input.startsWith(textPrefix)) return { kind: 'line', text: `${input.slice(textPrefix.length)}\r` };
  const name = input.trim().toUpperCase();
  const key = named.get(name);
  if (key !== undefined) return { kind: 'key', name, text: key };
  const letter = /^(?:C-|CTRL[-+])([A-Z])$/.exec(name)?.[1];
  if (letter === undefined) return { kind: 'line', text: `${input}\r` };
  return { kind: 'key', name: `C-${letter.toLowerCase()}`, text: String.fromCodePoint(letter.charCodeAt(0) - 64) };
}
