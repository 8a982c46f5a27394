import { promisify } from 'node:util';
import { gunzip } from 'node:zlib';
import { RequestError } from '../error.ts';

/** Limits of an archive, whatever sizes it declares. */
export interface ArchiveLimits {
  readonly files: number;
  /** Bytes of one file. */
  readonly fileBytes: number;
  /** Bytes of all files. */
  readonly totalBytes: number;
}

/** Default limits: a large package of skills. */
const defaultLimits: ArchiveLimits = { files: 500, fileBytes: 5 * 1024 * 1024, totalBytes: 20 * 1024 * 1024 };

/** Options of {@link archiveFiles}. */
export interface ArchiveOptions {
  /** Default: 500 files, 5 MiB a file and 20 MiB. */
  readonly limits?: ArchiveLimits | undefined;
  /** Directory of the archive whose files are returned, with paths relative to it; default all. */
  readonly inside?: string | undefined;
}

/**
 * Returns the files of a `.zip` or `.tar.gz` archive by their relative paths. The only reader of archives: what it
 * returns can be written anywhere.
 *
 * @throws {RequestError} `invalid` for other formats; for links, devices and encrypted files; for paths that are
 * absolute, lead outside, are files and directories, or differ in case only; and when a limit is exceeded.
 */
export async function archiveFiles(
  archive: Buffer,
  options: ArchiveOptions = {},
): Promise<ReadonlyMap<string, Uint8Array>> {
  const files = new FileCollector(options);
  try {
    if (archive.subarray(0, 4).equals(Buffer.from('PK\u0003\u0004'))) await readZip(archive, files);
    else if (archive[0] === 0x1f && archive[1] === 0x8b) await readTar(archive, files);
    else throw new RequestError('invalid', 'The file is neither a .zip nor a .tar.gz archive.');
  } catch (error) {
    if (error instanceof RequestError) throw error;
    throw new RequestError(
      'invalid',
      `The archive cannot be read: ${error instanceof Error ? error.message : String(error)}`,
    );
  }
  return files.contents;
}

/** An entry of an archive, as it declares it. */
interface DeclaredEntry {
  readonly path: string;
  readonly type: 'file' | 'directory' | 'other';
  readonly size: number;
}

/** Files of an archive, within the limits. */
class FileCollector {
  readonly contents = new Map<string, Uint8Array>();
  readonly limits: ArchiveLimits;
  readonly #prefix: string;
  /** Paths of files and of their directories by what file systems compare that ignore cases and forms of letters. */
  readonly #paths = new Map<string, string>();
  #entries = 0;
  #files = 0;
  #bytes = 0;

  constructor({ limits = defaultLimits, inside }: ArchiveOptions) {
    this.limits = limits;
    this.#prefix = inside === undefined ? '' : `${inside}/`;
  }

  /** Checks the next entry; returns the path of a file that is to be read. */
  accept({ path, type, size }: DeclaredEntry): string | undefined {
    const checked = checkedPath(path);
    const { files, fileBytes } = this.limits;
    if (++this.#entries > 4 * files)
      throw new RequestError('invalid', `The archive has more than ${4 * files} entries.`);
    if (type === 'directory') return undefined;
    if (type === 'other') throw new RequestError('invalid', `The entry ${quoted(path)} is not a file.`);
    this.#place(checked);
    if (++this.#files > files) throw new RequestError('invalid', `The archive has more than ${files} files.`);
    if (size > fileBytes)
      throw new RequestError('invalid', `The file ${quoted(path)} is larger than ${fileBytes} bytes.`);
    return checked.startsWith(this.#prefix) ? checked.slice(this.#prefix.length) : undefined;
  }

  /** Adds a file and the directories around it, none of which may be another file or differ in case only. */
  #place(file: string): void {
    const parts = file.split('/');
    for (const [index] of parts.entries()) {
      const path = parts.slice(0, index + 1).join('/');
      const key = path.normalize('NFC').toLowerCase();
      const isFile = index === parts.length - 1;
      const entry = isFile ? path : `${path}/`;
      const known = this.#paths.get(key) ?? entry;
      if (known !== entry || (isFile && this.#paths.has(key)))
        throw new RequestError('invalid', `The path ${quoted(file)} occurs twice.`);
      this.#paths.set(key, entry);
    }
  }

  add(path: string, content: Uint8Array): void {
    this.#bytes += content.length;
    const { totalBytes } = this.limits;
    if (this.#bytes > totalBytes) throw new RequestError('invalid', `The files are larger than ${totalBytes} bytes.`);
    this.contents.set(path, content);
  }
}

function checkedPath(path: string): string {
  const parts = path.split('/').filter((part) => part !== '.' && part !== '');
  const isUnsafe = path.startsWith('/') || /[\\:]|\p{Cc}/u.test(path) || parts.includes('..') || parts.length === 0;
  // No file system has longer names.
  if (isUnsafe || path.length > 500 || parts.some((part) => Buffer.byteLength(part) > 255))
    throw new RequestError('invalid', `The path ${quoted(path)} is not allowed in an archive.`);
  return parts.join('/');
}

function quoted(path: string): string {
  return JSON.stringify(path.slice(0, 200));
}

async function readZip(archive: Buffer, files: FileCollector): Promise<void> {
  // Loaded with the first archive, as `tar` is.
  const { Uint8ArrayReader, Uint8ArrayWriter, ZipReader } = await import('@zip.js/zip.js');
  const zip = new ZipReader(new Uint8ArrayReader(archive), { useWebWorkers: false });
  for await (const entry of zip.getEntriesGenerator()) {
    const { filename, encrypted, externalFileAttributes, uncompressedSize } = entry;
    // The upper half contains the mode, of archives that were made on Unix.
    const mode = (externalFileAttributes >>> 16) & 0o170000;
    const isFile = !encrypted && (mode === 0 || mode === 0o100000);
    const type = entry.directory ? 'directory' : isFile ? 'file' : 'other';
    const path = files.accept({ path: filename, type, size: uncompressedSize });
    if (path === undefined || entry.directory) continue;
    // The library fails as soon as a file is larger than declared.
    files.add(path, await entry.getData(new Uint8ArrayWriter()));
  }
}

async function readTar(archive: Buffer, files: FileCollector): Promise<void> {
  // Headers and padding take at most 1.5 KiB a file.
  const maxOutputLength = files.limits.totalBytes + files.limits.files * 2048;
  const tar = await promisify(gunzip)(archive, { maxOutputLength });
  const { Parser } = await import('tar');
  const failures: unknown[] = [];
  const attempt = (work: () => void): void => {
    try {
      work();
    } catch (error) {
      failures.push(error);
      parser.abort(new Error('refused'));
    }
  };
  const parser = new Parser({
    strict: true,
    onReadEntry(entry) {
      attempt(() => {
        const type = tarTypes[entry.type] ?? 'other';
        const path = files.accept({ path: entry.path, type, size: entry.size });
        if (path === undefined) return;
        const chunks: Buffer[] = [];
        entry.on('data', (chunk: Buffer) => chunks.push(chunk));
        entry.on('end', () => attempt(() => files.add(path, Buffer.concat(chunks))));
      });
      entry.resume();
    },
  });
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  parser.on('end', resolve);
  parser.on('error', reject);
  parser.end(tar as never);
  await promise.catch((error: unknown) => failures.push(error));
  if (failures.length > 0) throw failures[0];
}

const tarTypes: Readonly<Record<string, DeclaredEntry['type']>> = {
  Directory: 'directory',
  File: 'file',
  OldFile: 'file',
};
