import { createHash } from 'node:crypto';
import { constants } from 'node:fs';
import { lstat, open, readdir, realpath, type FileHandle } from 'node:fs/promises';
import { join, relative, sep } from 'node:path';
import { errnoOf } from '@varve/files';
import { realPathOf } from '@varve/tools';
import { SettingsError } from '../error.ts';
import { fileError } from '../files/file-error.ts';

/** One file of the configuration of a workspace. */
export interface ConfigurationFile {
  /** Path relative to the workspace, with `/`. */
  readonly path: string;
  /** Path of the file that it is, relative to the workspace, where a link leads to another one. */
  readonly target?: string;
  readonly isExecutable: boolean;
  /** Hex SHA-256 of the bytes. */
  readonly sha256: string;
  /** Content; empty for a large file, which nothing of varve reads. */
  readonly bytes: Uint8Array;
  /** Length of a large file in bytes: it is part of the hash by its digest. Absent for others. */
  readonly largeSize?: number;
}

/** `project`: a directory of a repository; `user`: the home directory of the person. */
export type ConfigurationScope = 'project' | 'user';

/**
 * Configuration of a directory that an agent would run, as it was read at one moment. What runs is these bytes: a file
 * is not read again after a person has trusted the hash.
 */
export interface Configuration {
  readonly scope: ConfigurationScope;
  /** Directory with links resolved. */
  readonly workspace: string;
  /** Hex SHA-256 over the paths, targets, rights and bytes of all files. */
  readonly hash: string;
  /** Sorted by path. Empty for a workspace that configures nothing. */
  readonly files: readonly ConfigurationFile[];
  /** Returns the bytes of a file, by its path relative to the workspace. */
  read(path: string): Uint8Array | undefined;
}

/**
 * Directories and files that a workspace configures an agent with: settings, hooks, servers, plugins, skills, scripts.
 *
 * @see software-agent-sdk .openhands/hooks.json, .openhands/setup.sh, .agents/skills
 */
const projectPlaces = [
  '.varve',
  '.openhands',
  '.agents',
  '.claude/skills',
  '.claude/commands',
  '.cursor/rules',
  '.mcp.json',
];

/** Of the home directory only what runs: the other files in these directories are data of agent systems. */
const userPlaces = [
  '.varve/hooks.json',
  '.openhands/hooks.json',
  '.varve/skills',
  '.agents/skills',
  '.openhands/skills',
  '.openhands/microagents',
  '.claude/skills',
  '.cursor/rules',
];

/** Options of {@link readConfiguration}. */
export interface ConfigurationOptions {
  /** Data directory of varve, absolute: it is no configuration of a workspace around it. */
  readonly home: string;
  /** Default `project`. */
  readonly scope?: ConfigurationScope;
  /** Further files that the configuration runs, such as the scripts of hooks, relative to the workspace. */
  readonly also?: readonly string[];
}

/**
 * Limits of one workspace. More is not a configuration, and is not trusted. A file of more than `fileBytes`, such as
 * data of a skill, is read for its digest only, and all of those together have at most `largeBytes`.
 */
const limits = {
  files: 2000,
  fileBytes: 1024 * 1024,
  totalBytes: 16 * 1024 * 1024,
  largeBytes: 512 * 1024 * 1024,
  depth: 12,
};

/**
 * Reads the configuration of a directory: every file in its places, whatever its name. Links are followed where they
 * stay in the directory, and recorded with their target; those of a user may lead anywhere.
 *
 * @throws {SettingsError} `invalid` for a link that leads out of the workspace, something that is not a file or
 * directory, and a configuration that is too large; `io`.
 */
export async function readConfiguration(
  workspace: string,
  { home, scope = 'project', also = [] }: ConfigurationOptions,
): Promise<Configuration> {
  try {
    const root = await realpath(workspace);
    const reader = new Reader(root, realPathOf(home), scope);
    for (const place of new Set([...(scope === 'user' ? userPlaces : projectPlaces), ...also]))
      await reader.add(place, 0);
    const files = reader.files.toSorted((a, b) => (a.path < b.path ? -1 : 1));
    const byPath = new Map(files.map((file) => [file.path, file.bytes]));
    return { scope, workspace: root, hash: hashOf(files), files, read: (path) => byPath.get(path) };
  } catch (error) {
    throw fileError(error, workspace);
  }
}

class Reader {
  readonly files: ConfigurationFile[] = [];
  readonly #read = new Set<string>();
  readonly #root: string;
  readonly #home: string;
  readonly #scope: ConfigurationScope;
  #bytes = 0;
  #largeBytes = 0;

  constructor(root: string, home: string, scope: ConfigurationScope) {
    this.#root = root;
    this.#home = home;
    this.#scope = scope;
  }

  async add(path: string, depth: number): Promise<void> {
    const whole = join(this.#root, path);
    const status = await statusOf(whole);
    if (!status) return;
    if (depth > limits.depth) throw this.#refused(path, `is more than ${limits.depth} directories deep`);
    // Both ends count: the name in the workspace, and the file that it leads to.
    const real = await realpath(whole).catch((error: unknown) => {
      if (errnoOf(error) !== 'ENOENT') throw error;
    });
    if (real === undefined) throw this.#refused(path, 'is a link to a missing file');
    if (real === this.#home) return;
    const inside = relative(this.#root, real);
    const isOutside = inside === '' || inside === '..' || inside.startsWith(`..${sep}`);
    if (isOutside && this.#scope === 'project') throw this.#refused(path, 'leads out of the workspace');
    const target = slashes(inside);
    const file = status.isSymbolicLink() ? await lstat(real) : status;
    if (file.isDirectory()) {
      for (const name of await readdir(real)) await this.add(join(path, name), depth + 1);
    } else if (file.isFile()) await this.#add(slashes(path), target, real);
    else throw this.#refused(path, 'is neither a file nor a directory');
  }

  async #add(path: string, target: string, real: string): Promise<void> {
    // A further file may be in one of the places, too.
    if (this.#read.has(path)) return;
    this.#read.add(path);
    await using handle = await open(real, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
    const status = await handle.stat();
    if (!status.isFile()) throw this.#refused(path, 'is not a file');
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(limits.fileBytes + 1));
    const isLarge = bytesRead > limits.fileBytes;
    if (!isLarge) this.#bytes += bytesRead;
    if (this.#bytes > limits.totalBytes || this.files.length >= limits.files)
      throw this.#refused(path, 'is part of a configuration that is too large');
    const file = {
      path,
      ...(target !== path && { target }),
      isExecutable: (status.mode & 0o111) !== 0,
    };
    const bytes = new Uint8Array(buffer.subarray(0, isLarge ? 0 : bytesRead));
    if (isLarge) this.files.push({ ...file, bytes, ...(await this.#large(path, handle)) });
    else this.files.push({ ...file, bytes, sha256: createHash('sha256').update(bytes).digest('hex') });
  }

  async #large(path: string, handle: FileHandle): Promise<Pick<ConfigurationFile, 'sha256' | 'largeSize'>> {
    const hash = createHash('sha256');
    const buffer = Buffer.alloc(limits.fileBytes);
    for (let size = 0; ;) {
      const { bytesRead } = await handle.read(buffer, 0, buffer.length, size);
      if (bytesRead === 0) return { sha256: hash.digest('hex'), largeSize: size };
      size += bytesRead;
      this.#largeBytes += bytesRead;
      if (this.#largeBytes > limits.largeBytes)
        throw this.#refused(path, `is one of files of more than ${limits.largeBytes} bytes`);
      hash.update(buffer.subarray(0, bytesRead));
    }
  }

  #refused(path: string, reason: string): SettingsError {
    return new SettingsError('invalid', `${JSON.stringify(slashes(path))} in ${this.#root} ${reason}.`);
  }
}

async function statusOf(path: string) {
  return lstat(path).catch((error: unknown) => {
    if (errnoOf(error) !== 'ENOENT') throw error;
  });
}

/** Returns a path with slashes, as it is in a configuration. */
export function slashes(path: string): string {
  return path.split(sep).join('/');
}

/** Each part is preceded by its length, so that no two configurations have the same text. */
function hashOf(files: readonly ConfigurationFile[]): string {
  const hash = createHash('sha256').update('varve configuration 1\n');
  const add = (part: string | Uint8Array): void => {
    const bytes = typeof part === 'string' ? Buffer.from(part) : part;
    hash.update(`${bytes.length}:`).update(bytes);
  };
  for (const { path, target = path, isExecutable, bytes, sha256, largeSize } of files) {
    add(path);
    add(target);
    add(`${isExecutable ? 'x' : '-'}${largeSize === undefined ? '' : 'large'}`);
    add(largeSize === undefined ? bytes : sha256);
  }
  return hash.digest('hex');
}
