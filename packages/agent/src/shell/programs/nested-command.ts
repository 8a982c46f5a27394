import type { ShellWords } from '../words/shell-word.ts';
import type { Unknown, UnknownKind } from '../words/unknowns.ts';

/** Something that a command runs through its arguments, or that is unknown about them. */
export type NestedCommand =
  | { readonly kind: 'words'; readonly words: ShellWords }
  | { readonly kind: 'script'; readonly source: string }
  /** Words or a script that an unknown program may run. */
  | { readonly kind: 'possible'; readonly words: ShellWords }
  | { readonly kind: 'possible-script'; readonly source: string }
  | { readonly kind: 'directory'; readonly path: string | undefined }
  | { readonly kind: 'unknown'; readonly unknown: Unknown };

/** Surroundings of a command. */
export interface CommandInput {
  /** Words of the commands whose output it reads. */
  readonly items: ShellWords;
  /** True if its input is a pipe, a here-document or a file. */
  readonly hasInput: boolean;
  /** Reports whether text is a number, also when it is calculated. */
  readonly isNumber: (text: string) => boolean;
}

/** Returns the part that names what is unknown and why. */
export function unknown(kind: UnknownKind, text: string): NestedCommand {
  return { kind: 'unknown', unknown: { kind, text } };
}

/** Returns the part that a command with these arguments changes or runs later. */
export function later(name: string, args: ShellWords): NestedCommand {
  return unknown('unknown.later', [name, ...args.map(({ shown }) => shown)].join(' '));
}

/** Returns the script that a shell reads from some words; unknown if a word is. */
export function scriptOf(name: string, words: ShellWords): NestedCommand {
  const texts = words.flatMap(({ text, isOneOf }) => (isOneOf || text === undefined ? [] : [text]));
  if (texts.length < words.length)
    return unknown('unknown.command', [name, ...words.map(({ shown }) => shown)].join(' '));
  return { kind: 'script', source: texts.join(' ') };
}
