import { lstatSync, opendirSync, readFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { basename, dirname, join, relative } from 'node:path';
import { executedNames, findBelow, gitPaths, isPrivate } from '@varve/sandbox';
import { attempt } from '../files/attempt.ts';
import type { ProgramSandbox } from '../processes/program-sandbox.ts';
import { changedGitSettings } from '../git/git-settings.ts';

/** Maximum number of paths, and of entries of a directory, that are compared, and size of a file that is read. */
const [maxPaths, maxEntries, maxBytes] = [2000, 1000, 2 ** 16];
/** Maximum number of changes that are named. */
const maxNames = 5;

/** What git, editors and agents execute in a workspace and in the repositories that exist there, over time. */
export class ExecutedFiles {
  readonly #workspace: string;
  #contents: ReadonlyMap<string, string>;
  readonly #changed = new Set<string>();

  /** `policy` is that of the sandbox, which has searched the workspace already. */
  constructor(workspace: string, policy?: ProgramSandbox['policy']) {
    this.#workspace = workspace;
    const own = [...gitPaths(workspace).executed, ...executedNames.map((name) => join(workspace, name))];
    const found = policy ? [...policy.readOnly, ...(policy.inPlace ?? [])] : search(workspace);
    const inside = [...own, ...found.filter((path) => path.startsWith(`${workspace}/`))];
    // In a home directory varve and other programs of the person write their own settings.
    const isHidden = (path: string) => policy?.hidden.includes(path) ?? isPrivate(path, homedir());
    const paths = inside.filter((path) => !isHidden(path));
    this.#contents = new Map(paths.slice(0, maxPaths).map((path) => [path, contentOf(path)]));
  }

  /** Returns the sentence about what has changed since the last call; undefined if nothing has. */
  changes(): string | undefined {
    const before = [...this.#contents];
    this.#contents = new Map(before.map(([path]) => [path, contentOf(path)]));
    const names = before.flatMap(([path, old]) => this.#namesOf(path, old, this.#contents.get(path) ?? ''));
    for (const name of names) this.#changed.add(name);
    return sentence(names);
  }

  /** Returns the same for all calls. */
  allChanges(): string | undefined {
    this.changes();
    return sentence([...this.#changed]);
  }

  #namesOf(path: string, old: string, now: string): readonly string[] {
    const name = JSON.stringify(relative(this.#workspace, path));
    if (old === now) return [];
    if (!/^config(?:\.worktree)?$/.test(basename(path))) return [name];
    // The parts of a name may be any text.
    return changedGitSettings(old, now).map((key) => `${/^[\w.-]{1,80}$/.test(key) ? key : 'a setting'} in ${name}`);
  }
}

function sentence(names: readonly string[]): string | undefined {
  const more = names.length > maxNames ? ` and ${names.length - maxNames} more` : '';
  const list = `${names.slice(0, maxNames).join(', ')}${more}`;
  return list === '' ? undefined : `While commands ran, what git, editors or agents execute has changed: ${list}.`;
}

function search(workspace: string): readonly string[] {
  const found = findBelow(workspace, (name) => name === '.git' || executedNames.includes(name));
  return found.flatMap((path) => (basename(path) === '.git' ? gitPaths(dirname(path)).executed : [path]));
}

/** Returns the text of a file, or what identifies the content of a directory; nothing for what has no effect. */
function contentOf(path: string): string {
  return (
    attempt(() => {
      const stats = lstatSync(path);
      if (stats.isDirectory()) return entriesOf(path).join('\n');
      if (!stats.isFile() || stats.size > maxBytes) return stateOf(path);
      const text = readFileSync(path, 'utf8');
      return basename(path) === 'commondir' && text.trim() === '.' ? '' : text;
    }) ?? ''
  );
}

function entriesOf(path: string): readonly string[] {
  const entries: string[] = [];
  const directory = opendirSync(path, { recursive: true });
  try {
    for (let entry = directory.readSync(); entry && entries.length < maxEntries; entry = directory.readSync())
      entries.push(stateOf(join(entry.parentPath, entry.name)));
  } finally {
    directory.closeSync();
  }
  return entries.toSorted();
}

function stateOf(path: string): string {
  const { ino, size, ctimeMs, mode } = lstatSync(path);
  return `${path} ${ino} ${mode} ${size} ${ctimeMs}`;
}
