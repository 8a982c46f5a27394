import { isUtf8 } from 'node:buffer';
import { homedir } from 'node:os';
import { resolve } from 'node:path';
import type { FileChange } from '@varve/events/facts';
import { isPrivate } from '@varve/sandbox';
import type { Mask } from '@varve/text';
import type { FileVersion } from '@varve/tools/workspace';

/** Largest content of one file, in bytes. */
export const maxFileBytes = 1024 * 1024;
/** Largest content that is not text: it grows by a third in the log. */
const maxBinaryBytes = 128 * 1024;
/** Characters of the contents of one call, and of a log. */
const maxCallChars = 8 * 1024 * 1024;
const maxLogChars = 256 * 1024 * 1024;

/** Names of keys and of files with passwords. */
const secretNames =
  /(?:^|\/)(?:\.env(?!\.(?:example|sample|template)$)(?:\.[^/]*)?|id_(?:rsa|dsa|ecdsa|ed25519)|[^/]*\.(?:pem|key|p12|pfx|jks|keystore)|\.netrc|\.npmrc|\.pypirc|\.git-credentials)$/i;

/** Contents that a log has, and how many characters more it may have. */
export class StoredContents {
  readonly #hashes: Set<string>;
  readonly #workspace: string;
  readonly #mask: Mask;
  #chars: number;
  #callChars = 0;

  constructor(
    stored: { readonly contents: ReadonlyMap<string, unknown>; readonly chars: number },
    { workspace, mask }: { readonly workspace: string; readonly mask: Mask },
  ) {
    this.#hashes = new Set(stored.contents.keys());
    this.#chars = stored.chars;
    this.#workspace = workspace;
    this.#mask = mask;
  }

  /** Begins a call, whose contents have a limit of their own. */
  beginCall(): void {
    this.#callChars = 0;
  }

  /** Returns a version of a file as a fact contains it; without its content if the log has it. */
  fieldsOf(
    path: string,
    version: FileVersion | undefined,
  ): Pick<FileChange, 'after'> & Partial<Omit<FileChange, 'path' | 'before'>> {
    if (!version) return { after: null };
    const { mode, hash, bytes, omitted } = version;
    if (!bytes) return { mode, after: hash, omitted: omitted ?? 'special' };
    if (this.#isSecret(path, bytes)) return { mode, after: 'unknown', omitted: 'secret' };
    if (this.#hashes.has(hash)) return { mode, after: hash };
    const isText = isUtf8(bytes);
    const content = isText ? bytes.toString() : bytes.toString('base64');
    const isLarge =
      (!isText && bytes.length > maxBinaryBytes) ||
      this.#callChars + content.length > maxCallChars ||
      this.#chars + content.length > maxLogChars;
    if (isLarge) return { mode, after: hash, omitted: 'large' };
    this.#hashes.add(hash);
    this.#callChars += content.length;
    this.#chars += content.length;
    return { mode, after: hash, content, ...(!isText && { encoding: 'base64' as const }) };
  }

  #isSecret(path: string, bytes: Buffer): boolean {
    if (secretNames.test(path) || isPrivate(resolve(this.#workspace, path), homedir())) return true;
    const text = bytes.toString(isUtf8(bytes) ? 'utf8' : 'latin1');
    return this.#mask(text) !== text;
  }
}
