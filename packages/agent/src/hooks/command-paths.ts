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

/** Most directories named by a command below which its other words are looked up. */
const maxDirectories = 8;
/** Most words that are looked up there. */
const maxWords = 200;

/** A variable or the output of a command in front of a slash: it may be the workspace, or a directory in it. */
const start = /(?:\$\{?\w+\}?|\$\([^()]{0,200}\)|`[^`]{0,200}`)["']{0,2}(?=\/)/g;

/**
 * Returns the paths, relative to a workspace, that the texts of a command may name there: alone, attached to an option,
 * in a list, as an address, after a variable, or relative to a directory that the texts name. Most of them do not
 * exist, and some files are not the ones that are meant.
 */
export async function pathsInCommand(texts: readonly string[], place: CommandPlace): Promise<readonly string[]> {
  const { workspace, directory = '.' } = place;
  const words = new Set(texts.flatMap((text) => [text, text.replaceAll(start, '.')].flatMap(wordsIn)));
  const bases = [directory];
  const paths = new Set<string>();
  for (const word of words) {
    const path = inside(workspace, directory, word);
    if (path === undefined) continue;
    paths.add(path);
    if (bases.length <= maxDirectories && (await isDirectory(join(workspace, path)))) bases.push(path);
  }
  for (const base of bases.slice(1)) {
    for (const word of [...words].slice(0, maxWords)) {
      const path = inside(workspace, base, word);
      if (path !== undefined) paths.add(path);
    }
  }
  return [...paths];
}

function wordsIn(text: string): readonly string[] {
  return text
    .split(/[\s'"`;|&()<>=]+/)
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
