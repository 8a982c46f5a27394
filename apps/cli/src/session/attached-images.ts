import { open } from 'node:fs/promises';
import { isAbsolute, join } from 'node:path';
import { text, type Content } from '@varve/events';
import { userHome } from '../setup/varve-home.ts';
import type { TerminalIo } from '../terminal/terminal-io.ts';

/** Largest image in bytes: providers refuse larger ones. */
const maxBytes = 5 * 1024 * 1024;

/** Bytes with which files of a type begin; a dot is any byte. */
const signatures: readonly (readonly [type: string, start: RegExp])[] = [
  ['image/png', /^\u0089PNG\r\n/],
  ['image/jpeg', /^\u00FF\u00D8\u00FF/],
  ['image/gif', /^GIF8/],
  ['image/webp', /^RIFF.{4}WEBP/s],
];

/** A word of a message: after `@`, in quotes, or with backslashes before blanks, as terminals paste a dropped file. */
const word = /(?<=^|\s)@?(?:'(?<single>[^'\n]+)'|"(?<double>[^"\n]+)"|(?<plain>(?:\\.|[^\s\\'"])+))(?=\s|$)/g;

/** Images that a message names. */
export interface AttachedImages {
  readonly content: readonly Content[];
  /** Paths of the images in the content. */
  readonly paths: readonly string[];
  /** Paths of images that are too large. */
  readonly tooLarge: readonly string[];
}

/** Reads the images whose paths are in a message. Paths of other files, and those of no file, are only text. */
export async function attachedImages(message: string, directory: string, io: TerminalIo): Promise<AttachedImages> {
  const named = Array.from(message.matchAll(word), ({ groups = {} }) => {
    const { single, double, plain } = groups;
    return single ?? double ?? plain?.replaceAll(/\\(.)/g, '$1') ?? '';
  }).filter((path) => /\.(?:png|jpe?g|gif|webp)$/i.test(path));
  const files = await Promise.all(
    [...new Set(named)].map(async (path) => ({ path, url: await imageUrl(placed(path, directory, io)) })),
  );
  const images = files.flatMap(({ path, url }) => (url === undefined || url === 'too-large' ? [] : [{ path, url }]));
  const urls = images.map(({ url }) => url);
  return {
    content: [
      text(message),
      ...(urls.length > 0 ? [{ cache_prompt: false, type: 'image', image_urls: urls } as const] : []),
    ],
    paths: images.map(({ path }) => path),
    tooLarge: files.flatMap(({ path, url }) => (url === 'too-large' ? [path] : [])),
  };
}

function placed(path: string, directory: string, io: TerminalIo): string {
  if (path.startsWith('~/')) return join(userHome(io), path.slice(2));
  return isAbsolute(path) ? path : join(directory, path);
}

/** Returns an image as a data URL; undefined if there is no such file, or it is not an image. */
async function imageUrl(path: string): Promise<string | undefined> {
  const file = await open(path).catch(() => undefined);
  if (!file) return undefined;
  await using opened = file;
  const stats = await opened.stat();
  if (!stats.isFile()) return undefined;
  const { buffer, bytesRead } = await opened.read(Buffer.alloc(16), 0, 16, 0);
  const start = buffer.subarray(0, bytesRead).toString('latin1');
  const type = signatures.find(([, signature]) => signature.test(start))?.[0];
  if (type === undefined) return undefined;
  if (stats.size > maxBytes) return 'too-large';
  const bytes = Buffer.alloc(stats.size);
  await opened.read(bytes, 0, stats.size, 0);
  return `data:${type};base64,${bytes.toString('base64')}`;
}
