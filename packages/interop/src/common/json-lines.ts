import { InteropError } from '../error.ts';
import { fieldsOf, foreignJson, type Fields } from './foreign-json.ts';
import type { ForeignFiles, ForeignLog, Problem } from './log-format.ts';

/** Objects of a file with one JSON value per line. */
export interface JsonLines {
  readonly lines: readonly { readonly fields: Fields; readonly place: string; readonly text: string }[];
  /** Lines that are not objects. */
  readonly problems: readonly Problem[];
}

/** Reads the lines of a JSON Lines text. A broken line is reported, and the others are read. */
export function readJsonLines(text: string): JsonLines {
  const problems: Problem[] = [];
  const lines = text.split('\n').flatMap((line, index) => {
    if (line.trim() === '') return [];
    const place = `line ${index + 1}`;
    const fields = fieldsOf(foreignJson(line));
    if (fields) return [{ fields, place, text: line }];
    problems.push({ place, reason: 'It is not a JSON object.' });
    return [];
  });
  return { lines, problems };
}

/**
 * Reads the objects of a JSON Lines text, of a list, or the only object of a text. Of a list that is cut off, the items
 * that are one per line are read.
 */
export function readJsonRecords(text: string): JsonLines {
  const whole = text.replace(/^\uFEFF/, '').trim();
  const json = whole.startsWith('[') || /^\{\s*\n/.test(whole) ? foreignJson(whole) : undefined;
  if (json === undefined) return readJsonLines(whole.startsWith('[') ? linesOfList(text) : text);
  const items = (Array.isArray(json) ? (json as readonly unknown[]) : [json]).map((item, index) => ({
    fields: fieldsOf(item),
    place: `item ${index}`,
  }));
  return {
    lines: items.flatMap(({ fields, place }) => (fields ? [{ fields, place, text: JSON.stringify(fields) }] : [])),
    problems: items.flatMap(({ fields, place }) => (fields ? [] : [{ place, reason: 'It is not a JSON object.' }])),
  };
}

/** Returns a list with one item per line without its brackets and commas, each item on the same line. */
function linesOfList(text: string): string {
  const lines = text.replace(/^\s*\[/, '').split('\n');
  return lines.map((line) => line.trimEnd().replace(/[,\]]$/, '')).join('\n');
}

/** Returns the text of the only file. @throws {InteropError} `invalid` if it is not UTF-8. */
export async function onlyText(files: ForeignFiles): Promise<string> {
  const [path = ''] = files.paths;
  const text = await files.text(path);
  if (text === undefined) throw new InteropError('invalid', `${path} is not UTF-8 text.`);
  return text;
}

/** Returns the start of the only file if its name has one of these ends, else an empty text. */
export async function onlyStart(files: ForeignFiles, ends: readonly string[]): Promise<string> {
  const [path = ''] = files.paths;
  if (files.paths.length !== 1 || !ends.some((end) => path.endsWith(end))) return '';
  return files.start(path);
}

/** Reads the only file as one log. @throws {InteropError} `invalid` if it is not UTF-8 or has no `content` of a log. */
export async function readOnlyLog(
  files: ForeignFiles,
  content: string,
  read: (lines: JsonLines) => ForeignLog,
): Promise<readonly ForeignLog[]> {
  const log = read(readJsonLines(await onlyText(files)));
  if (log.entries.length === 0) throw new InteropError('invalid', `${files.name} contains no ${content}.`);
  return [log];
}
