import { createHash } from 'node:crypto';
import { createTwoFilesPatch } from 'diff';
import type { ConfigurationFile } from './configuration.ts';

const emptySha256 = createHash('sha256').digest('hex');

/** Maximum number of characters of a file of which the text is shown. */
const maxChars = 64 * 1024;

/** Maximum number of lines of a difference: the time to find one grows with the square. */
const maxChanges = 500;

/**
 * Returns what a person would trust, as text: each file whole if nothing was trusted before, or if too much of it
 * changed, otherwise the difference to what was trusted. Files that are not text are named with their size. The text
 * comes from the workspace: it is not safe to print as it is.
 */
export function describeChange(
  files: readonly ConfigurationFile[],
  trusted: readonly ConfigurationFile[] = [],
): string {
  const before = new Map(trusted.map((file) => [file.path, file]));
  const now = new Map(files.map((file) => [file.path, file]));
  const paths = [...new Set([...before.keys(), ...now.keys()])].toSorted();
  return paths.map((path) => changeOf(path, before.get(path), now.get(path))).join('');
}

function changeOf(path: string, before: ConfigurationFile | undefined, now: ConfigurationFile | undefined): string {
  const [old, text] = [before, now].map((file) => (file ? textOf(file) : ''));
  const what = !before ? 'new' : !now ? 'removed' : 'changed';
  const isSame = before !== undefined && before.sha256 === now?.sha256;
  const notes = [noteOf('executable', before?.isExecutable, now?.isExecutable), targetNote(before, now)].flatMap(
    (note) => note ?? [],
  );
  if (isSame && notes.length === 0) return '';
  const title = `${onOneLine(path)} (${[what, ...notes].join(', ')})\n`;
  if (isSame) return title;
  // Of a large file only the hash was kept.
  const wasKept = before === undefined || before.bytes.length > 0 || before.sha256 === emptySha256;
  if (old === undefined || text === undefined || !wasKept)
    return `${title}${now?.largeSize ?? now?.bytes.length ?? 0} bytes that are not shown: they are not text, or too many\n`;
  return title + (differenceOf(old, text) ?? differenceOf('', text) ?? '');
}

/** Returns the lines that differ, with those around them; undefined for too many. */
function differenceOf(old: string, text: string): string | undefined {
  // All lines of one of them differ from no lines.
  const maxEditLength = old === '' || text === '' ? Infinity : maxChanges;
  const patch = createTwoFilesPatch('', '', old, text, undefined, undefined, { context: 3, maxEditLength });
  if (patch === undefined) return undefined;
  const start = patch.indexOf('@@');
  return start < 0 ? '' : patch.slice(start);
}

function noteOf(name: string, before: boolean | undefined, now: boolean | undefined): string | undefined {
  if (now) return before === false ? `now ${name}` : name;
  return before === true && now === false ? `no longer ${name}` : undefined;
}

function targetNote(before: ConfigurationFile | undefined, now: ConfigurationFile | undefined): string | undefined {
  if (!now || (before && before.target === now.target)) return undefined;
  return now.target === undefined ? (before ? 'no longer a link' : undefined) : `a link to ${onOneLine(now.target)}`;
}

/** A line break in a name must not look like another file. */
function onOneLine(name: string): string {
  return /[\n\r]/.test(name) ? JSON.stringify(name) : name;
}

function textOf({ bytes, largeSize = bytes.length }: ConfigurationFile): string | undefined {
  if (largeSize > maxChars || bytes.includes(0)) return undefined;
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return undefined;
  }
}
