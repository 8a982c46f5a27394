import { promisify } from 'node:util';
import { gunzip } from 'node:zlib';
import type { Entry, Options, ZipFile } from 'yauzl';
import { SourceError } from '../sources/read-source.ts';

/** Limits of an archive: files, bytes of one file, and bytes of all files. */
const maxFiles = 500;
const maxFileBytes = 5 * 1024 * 1024;
const maxTotalBytes = 20 * 1024 * 1024;

/**
 * Returns the files of a `.zip` or `.tar.gz` archive by their relative paths.
 *
 * @throws {SourceError} for other formats; for links, devices and encrypted files; for paths that are absolute, lead
 * outside, or differ in case only; and when a limit is exceeded, whatever sizes the archive declares.
 */
export async function archiveFiles(archive: Buffer): Promise<ReadonlyMap<string, Buffer>> {
  const files = new FileCollector();
  try {
    if (archive.subarray(0, 4).equals(Buffer.from('PK\u0003\u0004'))) await readZip(archive, files);
    else if (archive[0] === 0x1f && archive[1] === 0x8b) await readTar(archive, files);
    else throw new SourceError('The file is neither a .zip nor a .tar.gz archive.');
  } catch (error) {
    if (error instanceof SourceError) throw error;
    throw new SourceError(`The archive cannot be read: ${error instanceof Error ? error.message : String(error)}`);
  }
  return files.found;
}

/** Files of an archive, within the limits. */
class FileCollector {
  readonly found = new Map<string, Buffer>();
  readonly #names = new Set<string>();
  #bytes = 0;

  /** Checks the next path, and that the declared size may be read. */
  check(path: string, size: number): string {
    const checked = checkedPath(path);
    if (this.#names.has(checked.toLowerCase())) throw new SourceError(`The path ${quoted(path)} occurs twice.`);
    this.#names.add(checked.toLowerCase());
    if (this.#names.size > maxFiles) throw new SourceError(`The archive has more than ${maxFiles} files.`);
    if (size > maxFileBytes) throw new SourceError(`The file ${quoted(path)} is larger than ${maxFileBytes} bytes.`);
    return checked;
  }

  add(path: string, chunks: readonly Buffer[]): void {
    const content = Buffer.concat(chunks);
    this.#bytes += content.length;
    if (this.#bytes > maxTotalBytes) throw new SourceError(`The files are larger than ${maxTotalBytes} bytes.`);
    this.found.set(path, content);
  }
}

function checkedPath(path: string): string {
  const parts = path.split('/').filter((part) => part !== '.' && part !== '');
  const isUnsafe = path.startsWith('/') || /[\\:]|\p{Cc}/u.test(path) || parts.includes('..') || parts.length === 0;
  if (isUnsafe || path.length > 500) throw new SourceError(`The path ${quoted(path)} is not allowed in an archive.`);
  return parts.join('/');
}

function quoted(path: string): string {
  return JSON.stringify(path.slice(0, 200));
}

async function readZip(archive: Buffer, files: FileCollector): Promise<void> {
  // Loaded with the first archive, as `tar` is.
  const { fromBuffer } = await import('yauzl');
  const zip = await promisify<Buffer, Options, ZipFile>(fromBuffer)(archive, {
    lazyEntries: true,
    strictFileNames: true,
  });
  const open = promisify(zip.openReadStream.bind(zip)) as (entry: Entry) => Promise<AsyncIterable<Buffer>>;
  for await (const entry of entriesOf(zip)) {
    if (entry.fileName.endsWith('/')) {
      checkedPath(entry.fileName);
      continue;
    }
    // The upper half contains the mode, of archives that were made on Unix.
    const type = (entry.externalFileAttributes >>> 16) & 0o170000;
    if (type !== 0 && type !== 0o100000) throw new SourceError(`The entry ${quoted(entry.fileName)} is not a file.`);
    const path = files.check(entry.fileName, entry.uncompressedSize);
    const chunks: Buffer[] = [];
    // The library fails when a file is larger than declared.
    for await (const chunk of await open(entry)) chunks.push(chunk);
    files.add(path, chunks);
  }
}

async function* entriesOf(zip: ZipFile): AsyncGenerator<Entry> {
  for (;;) {
    const { promise, resolve, reject } = Promise.withResolvers<Entry | undefined>();
    const onEntry = (entry: Entry): void => resolve(entry);
    const onEnd = (): void => resolve(undefined);
    zip.once('entry', onEntry).once('end', onEnd).once('error', reject);
    zip.readEntry();
    const entry = await promise;
    zip.off('entry', onEntry).off('end', onEnd).off('error', reject);
    if (!entry) return;
    yield entry;
  }
}

async function readTar(archive: Buffer, files: FileCollector): Promise<void> {
  // Headers and padding take at most 1.5 KiB a file.
  const maxOutputLength = maxTotalBytes + maxFiles * 2048;
  const tar = await promisify(gunzip as (data: Buffer, options: object, done: GunzipDone) => void)(archive, {
    maxOutputLength,
  });
  const { Parser } = await import('tar');
  const failures: unknown[] = [];
  const attempt = (work: () => void): void => {
    try {
      work();
    } catch (error) {
      failures.push(error);
    }
  };
  const parser = new Parser({
    strict: true,
    onReadEntry(entry) {
      attempt(() => {
        if (entry.type === 'Directory') checkedPath(entry.path);
        else if (entry.type !== 'File' && entry.type !== 'OldFile') {
          throw new SourceError(`The entry ${quoted(entry.path)} is not a file.`);
        } else {
          const path = files.check(entry.path, entry.size);
          const chunks: Buffer[] = [];
          entry.on('data', (chunk: Buffer) => chunks.push(chunk));
          entry.on('end', () => attempt(() => files.add(path, chunks)));
        }
      });
      entry.resume();
    },
  });
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  parser.on('end', resolve);
  parser.on('error', reject);
  parser.end(tar as never);
  await promise;
  if (failures.length > 0) throw failures[0];
}

type GunzipDone = (error: Error | null, result: Buffer) => void;
