import { type FileHandle, open, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { randomUUID } from 'node:crypto';
import { privateDirectory } from '@varve/sandbox';
import { BlobReader } from '../git/blob-reader.ts';
import { type FileVersion, omittedVersion, openFiles, readVersion, versionOf } from './file-version.ts';
import type { TrackedFiles } from './tracked-files.ts';

/** Bytes of all files that git does not have. */
const maxTotalBytes = 64 * 1024 * 1024;

/** A file as it was found, by its type, permissions and size. */
export interface FoundFile {
  readonly mode: string;
  readonly size: number;
}

/** Options of {@link FirstContents}. */
interface FirstContentsOptions extends Pick<TrackedFiles, 'blobs'> {
  readonly maxBytes: number;
}

interface Copy {
  readonly position: number;
  readonly length: number;
}

/**
 * Contents of files as they were found, for the first change of each. Those that are equal to a blob of the repository
 * are read from there when they are needed; others are copied to a file without a name, up to 64 MiB in total.
 */
export class FirstContents {
  readonly #reader: BlobReader;
  readonly #maxBytes: number;
  readonly #blobs: ReadonlyMap<string, string>;
  readonly #copies = new Map<string, Copy>();
  readonly #file: FileHandle | undefined;
  #length = 0;

  private constructor(directory: string, { maxBytes, blobs }: FirstContentsOptions, file?: FileHandle) {
    this.#reader = new BlobReader(directory);
    this.#maxBytes = maxBytes;
    this.#blobs = blobs;
    this.#file = file;
  }

  /** Copies what is needed of these files of a directory, by their relative paths. */
  static async of(
    directory: string,
    files: ReadonlyMap<string, FoundFile>,
    options: FirstContentsOptions,
  ): Promise<FirstContents> {
    const path = join(privateDirectory(), `varve-found-${randomUUID()}`);
    // On a full disk, the first versions are not known, and facts contain that.
    const file = await open(path, 'wx+', 0o600).catch(() => undefined);
    await rm(path, { force: true });
    const [opened, { maxBytes }] = [openFiles(), options];
    const contents = new FirstContents(directory, options, file);
    for (const [name, { mode, size }] of files) {
      const isFile = mode.startsWith('10') || mode.startsWith('12');
      const isSmall = size <= maxBytes && contents.#length + size <= maxTotalBytes;
      if (isFile && isSmall && !contents.#blobs.has(name))
        await contents.#copy(name, await readVersion(join(directory, name), maxBytes, opened));
    }
    return contents;
  }

  /** Returns files as they were found. */
  async read(files: ReadonlyMap<string, FoundFile>): Promise<ReadonlyMap<string, FileVersion>> {
    const wanted = [...files].filter(([name, { size }]) => !this.#copies.has(name) && size <= this.#maxBytes);
    const blobs = await this.#reader.read(wanted.flatMap(([name]) => this.#blobs.get(name) ?? []));
    const found = new Map<string, FileVersion>();
    for (const [name, { mode, size }] of files) {
      const blob = blobs.get(this.#blobs.get(name) ?? '');
      const bytes = (await this.#read(name)) ?? blob;
      // The rules of a repository may convert a file, such as its line ends, when it is written to the disk.
      found.set(name, bytes?.length === size ? versionOf(mode, bytes) : omittedVersion(mode, 'large'));
    }
    return found;
  }

  async close(): Promise<void> {
    this.#reader.close();
    await this.#file?.close();
  }

  async #copy(name: string, { bytes }: Pick<FileVersion, 'bytes'> = {}): Promise<void> {
    if (!bytes || !this.#file || this.#length + bytes.length > maxTotalBytes) return;
    const written = await this.#file.write(bytes, 0, bytes.length, this.#length).catch(() => undefined);
    if (written?.bytesWritten !== bytes.length) return;
    this.#copies.set(name, { position: this.#length, length: bytes.length });
    this.#length += bytes.length;
  }

  async #read(name: string): Promise<Buffer | undefined> {
    const copy = this.#copies.get(name);
    if (!copy || !this.#file) return undefined;
    const bytes = Buffer.alloc(copy.length);
    await this.#file.read(bytes, 0, copy.length, copy.position);
    return bytes;
  }
}
