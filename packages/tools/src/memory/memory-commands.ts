import { insertText } from '../file-editor/insert-text.ts';
import { replaceText, type Changed } from '../file-editor/replace-text.ts';
import { viewText } from '../file-editor/view-text.ts';
import { isRefusal, refuse, refuseExisting, refuseParameter, type Refusal } from '../files/refusal.ts';
import type { MemoryEntries } from './memory-storage.ts';

/** Input of one call. */
export interface MemoryCall {
  readonly command: 'view' | 'create' | 'str_replace' | 'insert' | 'delete' | 'rename';
  readonly path?: string | undefined;
  readonly view_range?: readonly number[] | undefined;
  readonly file_text?: string | undefined;
  readonly old_str?: string | undefined;
  readonly new_str?: string | undefined;
  readonly insert_line?: number | undefined;
  readonly insert_text?: string | undefined;
  readonly old_path?: string | undefined;
  readonly new_path?: string | undefined;
}

/** Result of a command: the text for the model, and the new entries if it changed them. */
export interface MemoryReport {
  readonly text: string;
  readonly entries?: MemoryEntries;
}

/** Executes a command on entries, which it does not change. `maxChars` limits a view. */
export function performMemory(call: MemoryCall, entries: MemoryEntries, maxChars: number): MemoryReport | Refusal {
  const commands = {
    view: () => view(call, entries, maxChars),
    create: () => create(call, entries),
    str_replace: () => edit(call, entries, replacement),
    insert: () => edit(call, entries, insertion),
    delete: () => remove(call, entries),
    rename: () => rename(call, entries),
  };
  return commands[call.command]();
}

/** Path of the directory that contains all entries. */
const root = '/memories';
const maxPathChars = 200;

/** Returns a path without a slash at its end, or the reason why it is none of an entry. */
function checkedPath(name: 'path' | 'old_path' | 'new_path', call: MemoryCall): string | Refusal {
  const { [name]: given } = call;
  if (given === undefined) return missing(name, call);
  const path = given.replace(/\/$/, '');
  const isBelow = path === root || path.startsWith(`${root}/`);
  const isPlain = path
    .split('/')
    .slice(1)
    .every((part) => /^[^\p{Cc}\p{Cf}\\]+$/u.test(part) && !/^\.+$/.test(part));
  if (isBelow && isPlain && path.length <= maxPathChars) return path;
  return refuseParameter(name, given, `It must be a plain path below ${root}, of at most ${maxPathChars} characters.`);
}

function missing(name: string, { command }: MemoryCall): Refusal {
  return refuse(`Parameter \`${name}\` is required for command: ${command}.`);
}

/** Returns the entries at a path: one, or those of a directory. */
function at(path: string, entries: MemoryEntries): readonly (readonly [string, string])[] {
  return [...entries].filter(([name]) => name === path || name.startsWith(`${path}/`));
}

function view(call: MemoryCall, entries: MemoryEntries, maxChars: number): MemoryReport | Refusal {
  const path = checkedPath('path', { path: root, ...call });
  if (typeof path !== 'string') return path;
  const text = entries.get(path);
  if (text !== undefined) {
    const shown = viewText(text, { path, range: call.view_range, maxChars, mask: (whole) => whole });
    return typeof shown === 'string' ? { text: shown } : shown;
  }
  const below = at(path, entries);
  if (below.length === 0) return path === root ? { text: 'The memory is empty.' } : refuseMissing(path);
  const lines = below.map(([name, { length }]) => `${length}\t${name}`).toSorted();
  return { text: `Characters and paths of the entries below ${path}:\n${lines.join('\n')}` };
}

function create(call: MemoryCall, entries: MemoryEntries): MemoryReport | Refusal {
  const path = checkedPath('path', call);
  if (typeof path !== 'string') return path;
  if (call.file_text === undefined) return missing('file_text', call);
  return isFree(path, entries)
    ? { text: `${path} was created.`, entries: new Map([...entries, [path, call.file_text]]) }
    : refuseExisting(path);
}

/** Returns true if nothing is at a path, below it, or in place of a directory above it. */
function isFree(path: string, entries: MemoryEntries): boolean {
  return (
    path !== root && at(path, entries).length === 0 && ![...entries.keys()].some((name) => path.startsWith(`${name}/`))
  );
}

type Edit = (text: string, call: MemoryCall, path: string) => Changed | Refusal;

const replacement: Edit = (text, call, path) =>
  call.old_str === undefined
    ? missing('old_str', call)
    : replaceText({ text, lineEnd: '\n' }, { path, old: call.old_str, new: call.new_str ?? '' });

const insertion: Edit = (text, call) => {
  const { insert_line: line, insert_text: added = call.new_str } = call;
  if (line === undefined) return missing('insert_line', call);
  return added === undefined ? missing('insert_text', call) : insertText({ text, lineEnd: '\n' }, line, added);
};

function edit(call: MemoryCall, entries: MemoryEntries, change: Edit): MemoryReport | Refusal {
  const path = checkedPath('path', call);
  if (typeof path !== 'string') return path;
  const text = entries.get(path);
  if (text === undefined) return refuseMissing(path);
  const changed = change(text, call, path);
  return isRefusal(changed)
    ? changed
    : { text: `${path} was changed.`, entries: new Map([...entries, [path, changed.text]]) };
}

function remove(call: MemoryCall, entries: MemoryEntries): MemoryReport | Refusal {
  const path = checkedPath('path', call);
  if (typeof path !== 'string') return path;
  if (path === root) return refuse(`${root} itself cannot be deleted.`);
  const removed = new Map(at(path, entries));
  if (removed.size === 0) return refuseMissing(path);
  return { text: `${path} was deleted.`, entries: new Map([...entries].filter(([name]) => !removed.has(name))) };
}

function rename(call: MemoryCall, entries: MemoryEntries): MemoryReport | Refusal {
  const from = checkedPath('old_path', call);
  if (typeof from !== 'string') return from;
  const to = checkedPath('new_path', call);
  if (typeof to !== 'string') return to;
  const moved = new Map(at(from, entries));
  if (moved.size === 0) return refuseMissing(from);
  const left = new Map([...entries].filter(([name]) => !moved.has(name)));
  if (!isFree(to, entries) || to.startsWith(`${from}/`)) return refuseExisting(to);
  const renamed = [...moved].map(([name, text]) => [to + name.slice(from.length), text] as const);
  return { text: `${from} is ${to} now.`, entries: new Map([...left, ...renamed]) };
}

function refuseMissing(path: string): Refusal {
  return refuse(`There is nothing at ${path}.`);
}
