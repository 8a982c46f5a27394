import { constants } from 'node:fs';
import { open, realpath } from 'node:fs/promises';
import { basename, dirname, resolve, sep } from 'node:path';
import { safeText } from '@varve/events/text';
import type { ContextFile, SkippedContextFile } from './context-file.ts';
import { repositoryPlaces, unreadPlaces, userPlaces, type ContextPlace } from './find-context-files.ts';

/** Options of {@link readProjectContext}. */
export interface ProjectContextOptions {
  /** Home directory, whose files for agents are read; without it, none of the user are. */
  readonly home?: string;
  /** Further files of the user, absolute. */
  readonly userFiles?: readonly string[];
  /** Maximum length of one file in UTF-16 units; default 20,000. */
  readonly maxFileChars?: number;
  /** Maximum length of all files together; default 60,000. */
  readonly maxTotalChars?: number;
}

/** Files for the prompt, in its order, and those that were left out. */
export interface ProjectContext {
  readonly files: readonly ContextFile[];
  readonly skipped: readonly SkippedContextFile[];
  /** Files and directories with rules, commands and settings of other tools, which have no effect: absolute paths. */
  readonly unread: readonly string[];
}

/**
 * Reads the instructions for agents that a workspace, the directories above it in its repository, and the user have:
 * AGENTS.md, CLAUDE.md, GEMINI.md and others. Files of the user are first, those of the workspace last. A file whose
 * content was read already is left out; one that links out of the repository is not read. A file that is imported by
 * `@path`, as Claude Code and Gemini CLI do, follows the file that names it.
 *
 * The text is data from the repository: a prompt states that it has no authority over the user.
 */
export async function readProjectContext(
  workspace: string,
  options: ProjectContextOptions = {},
): Promise<ProjectContext> {
  const { home, userFiles = [], maxFileChars = 20_000, maxTotalChars = 60_000 } = options;
  const queue: ImportingPlace[] = [...(await userPlaces(home, userFiles)), ...(await repositoryPlaces(workspace))];
  const paths = new Set(queue.map(({ path }) => path));
  const files: ContextFile[] = [];
  const skipped: SkippedContextFile[] = [];
  const seen = new Set<string>();
  let left = maxTotalChars;
  // One after the other: the limit counts them in order.
  for (let place = queue.shift(); place; place = queue.shift()) {
    const { path, origin } = place;
    const read = await readPlace(place, Math.min(left, maxFileChars));
    if (read === undefined) continue;
    if ('reason' in read) {
      skipped.push({ path, origin, reason: read.reason });
    } else if (seen.has(read.whole)) {
      skipped.push({ path, origin, reason: 'Its text is that of a file above.' });
    } else if (read.text !== '') {
      const { whole, text, bytes, isCut } = read;
      seen.add(whole);
      left -= text.length;
      files.push({ path, origin, text, bytes, isCut });
      const imported = importsOf(text, place).filter((each) => !paths.has(each.path));
      for (const each of imported) paths.add(each.path);
      queue.unshift(...imported);
    }
  }
  return { files, skipped, unread: await unreadPlaces(workspace) };
}

/** Names of the files whose tools import others. */
const importing = /(^|\/)(claude|claude\.local|gemini)\.md$/i;

/** Returns the text files that a file imports by `@path`, not within code. An imported file may import others. */
function importsOf(text: string, place: ImportingPlace): readonly ImportingPlace[] {
  const { path, imports = importing.test(path), depth = 0 } = place;
  if (!imports || depth >= maxImportDepth) return [];
  const prose = text.replaceAll(/^(```|~~~)[^]*?^\1/gm, '').replaceAll(/`[^`\n]*`/g, '');
  const names = [...prose.matchAll(/(?:^|[\s(])@((?:~?\/|\.{1,2}\/)?[\w./-]*[\w-]\.(?:md|mdc|txt))(?![\w/])/g)];
  return names.map(([, name = '']) => ({
    ...place,
    path: name.startsWith('~/') ? resolve(place.root, name.slice(2)) : resolve(dirname(path), name),
    imports: true,
    depth: depth + 1,
  }));
}

/** Place of a file, and that of one that it imports. */
interface ImportingPlace extends ContextPlace {
  readonly imports?: boolean;
  readonly depth?: number;
}

/** @see https://code.claude.com/docs/en/memory (imports) */
const maxImportDepth = 5;

/** Result of reading one file: its text, or the reason why it was not read. */
type Read = SkippedRead | TextRead;

interface SkippedRead {
  readonly reason: string;
}

interface TextRead extends Pick<ContextFile, 'text' | 'bytes' | 'isCut'> {
  /** Beginning of the text before it was cut, to recognize duplicates. */
  readonly whole: string;
}

/** Returns undefined if nothing is there. */
async function readPlace(place: ContextPlace, maxChars: number): Promise<Read | undefined> {
  const target = await realpath(place.path).catch(() => undefined);
  if (target === undefined) return undefined;
  if (!isInside(target, place.root)) return { reason: 'It links to a file outside of its directory.' };
  // A link such as AGENTS.md -> .env would send what was never written for a model.
  if (!isInstructions(target)) return { reason: 'It links to a file that is not text for agents.' };
  if (maxChars < 200) return { reason: 'There is no room for it.' };
  try {
    return await readText(target, place.path, maxChars);
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : 'unknown';
    return { reason: `It cannot be read (${code}).` };
  }
}

function isInside(path: string, root: string): boolean {
  return path === root || path.startsWith(root.endsWith(sep) ? root : root + sep);
}

function isInstructions(path: string): boolean {
  return /\.(?:md|mdc|txt)$|^\.cursorrules$|^\.openhands_instructions$/i.test(basename(path));
}

async function readText(target: string, name: string, maxChars: number): Promise<Read> {
  // Without following a link that replaced the file, and without waiting for the writer of a pipe.
  await using file = await open(target, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  const info = await file.stat();
  if (!info.isFile()) return { reason: 'It is not a file.' };
  // A character has at most three bytes per UTF-16 unit.
  const { buffer, bytesRead } = await file.read({ buffer: Buffer.alloc(Math.min(info.size, maxChars * 3 + 3)) });
  const raw = buffer.subarray(0, bytesRead);
  if (raw.includes(0)) return { reason: 'It is not text.' };
  const whole = safeText(new TextDecoder().decode(raw)).trim();
  if (whole.length <= maxChars && bytesRead === info.size)
    return { text: whole, whole, bytes: info.size, isCut: false };
  const note = `[${name} has ${info.size} bytes; the rest is left out.]`;
  const room = Math.max(0, maxChars - note.length - 1);
  const cut = whole.slice(0, room);
  const end = cut.lastIndexOf('\n');
  const text = `${end > room / 2 ? cut.slice(0, end) : cut}\n${note}`.toWellFormed();
  return { text, whole, bytes: info.size, isCut: true };
}
