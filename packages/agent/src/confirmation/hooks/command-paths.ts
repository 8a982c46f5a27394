import { stat } from 'node:fs/promises';
import { join, relative, resolve, sep } from 'node:path';
import { fileURLToPath } from 'node:url';

/** Where a command runs. */
export interface CommandPlace {
  /** Absolute path of the directory whose files are of interest. */
  readonly workspace: string;
  /** Directory in which the command starts, relative to the workspace; default that. */
  readonly directory?: string;
}

/** Most directories in which the words of a command are looked up. */
const maxDirectories = 8;
/** Most words that are looked up in those that the command names. */
const maxWords = 200;

/** A variable or the output of a command in front of a slash: it may be the workspace, or a directory in it. */
const start = /(?:\$(?:\w+|\{[^{}]{0,200}\})|\$\([^()]{0,200}\)|`[^`]{0,200}`)["']{0,2}(?=\/)/g;

/**
 * Returns the paths, relative to a workspace, that the texts of a command may name there: alone, attached to an option,
 * in a list, as an address, after a variable, or relative to a directory that the texts name. Most of them do not
 * exist, and some files are not the ones that are meant.
 */
export async function pathsInCommand(texts: readonly string[], place: CommandPlace): Promise<readonly string[]> {
  const { workspace, directory = '.' } = place;
  const words = [...new Set(texts.flatMap((text) => readings(text, workspace).flatMap(wordsIn)))];
  const bases = [directory];
  const paths = new Set<string>();
  // The directories that are found are read, too: `cd a && cd b && ./c`.
  for (const base of bases) {
    for (const word of base === directory ? words : words.slice(0, maxWords)) {
      const path = inside(workspace, base, word);
      if (path === undefined || paths.has(path)) continue;
      paths.add(path);
      if (bases.length < maxDirectories && (await isDirectory(join(workspace, path)))) bases.push(path);
    }
  }
  return [...paths];
}

/** Returns a text as it is, with the workspace as the current directory, and that without quotes within words. */
function readings(text: string, workspace: string): readonly string[] {
  const local = text.replaceAll(workspace, '.').replaceAll(start, '.');
  return [text, local, local.replaceAll(/["'\\]/g, '')];
}

/** Returns the words of a text, and what may be one word with blanks: the text, and what is within quotes. */
function wordsIn(text: string): readonly string[] {
  return [text, ...text.split(/["']/), ...text.split(/[\s'"`;|&()<>=]+/)]
    .flatMap((word) => [word, word.replace(/^-\w+?(?=\.{0,2}\/)/, ''), pathOf(word), ...word.split(/[:,]/)])
    .filter((word) => word !== '');
}

function pathOf(word: string): string {
  if (!word.startsWith('file:')) return '';
  try {
    return fileURLToPath(word);
  } catch {
    return '';
  }
}

function inside(workspace: string, base: string, word: string): string | undefined {
  const path = relative(workspace, resolve(workspace, base, word));
  return path === '' || path === '..' || path.startsWith(`..${sep}`) ? undefined : path;
}

async function isDirectory(path: string): Promise<boolean> {
  const status = await stat(path).catch(() => undefined);
  return status?.isDirectory() === true;
}
