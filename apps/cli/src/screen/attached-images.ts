import { constants } from 'node:fs';
import { open } from 'node:fs/promises';
import { isAbsolute, join } from 'node:path';
import type { Content } from '@varve/events';
import type { LanguageModel } from '@varve/llm';
import { filesIn, isImageName } from '../opening/attached-files.ts';
import { imageTypeOf, maxImageBytes } from '../opening/image-types.ts';
import { userHome } from '../home/varve-home.ts';
import type { TerminalIo } from '../terminal/terminal-io.ts';

/** What a message names, such as images. */
export interface Attached {
  readonly content: readonly Content[];
  /** Sentences about what is not attached. */
  readonly problems: readonly string[];
}

/** Model that may see images. */
interface SeeingModel {
  readonly name: string;
  readonly capabilities: Pick<LanguageModel['capabilities'], 'vision'>;
}

/**
 * Reads the images whose paths are in a message, for a model that sees images. Paths of other files, and those of no
 * file, are only text.
 */
export async function attachedImages(
  message: string,
  { name, capabilities }: SeeingModel,
  directory: string,
  io: TerminalIo,
): Promise<Attached> {
  const named = filesIn(message).flatMap(({ path }) => (isImageName(path) ? [path] : []));
  const files = await Promise.all(
    [...new Set(named)].map(async (path) => ({ path, url: await imageUrl(placed(path, directory, io)) })),
  );
  const images = files.filter(({ url }) => url !== undefined && url !== 'too-large');
  const paths = images.map(({ path }) => path).join(', ');
  const problems = files
    .filter(({ url }) => url === 'too-large')
    .map(({ path }) => `${path} is too large: an image has at most 5 MiB.`);
  if (images.length === 0) return { content: [], problems };
  if (!capabilities.vision) {
    return { content: [], problems: [...problems, `${name} does not see images: ${paths} is sent as text.`] };
  }
  const urls = images.flatMap(({ url }) => url ?? []);
  return { content: [{ cache_prompt: false, type: 'image', image_urls: urls }], problems };
}

function placed(path: string, directory: string, io: TerminalIo): string {
  if (path.startsWith('~/')) return join(userHome(io), path.slice(2));
  return isAbsolute(path) ? path : join(directory, path);
}

/** Returns an image as a data URL; undefined if there is no such file, or it is not an image. */
async function imageUrl(path: string): Promise<string | undefined> {
  // A pipe is opened without waiting for its writer.
  const file = await open(path, constants.O_RDONLY | constants.O_NONBLOCK).catch(() => undefined);
  if (!file) return undefined;
  await using opened = file;
  const stats = await opened.stat();
  if (!stats.isFile()) return undefined;
  const { buffer, bytesRead } = await opened.read(Buffer.alloc(16), 0, 16, 0);
  const type = imageTypeOf(buffer.subarray(0, bytesRead));
  if (type === undefined) return undefined;
  if (stats.size > maxImageBytes) return 'too-large';
  const bytes = Buffer.alloc(stats.size);
  await opened.read(bytes, 0, stats.size, 0);
  return `data:${type};base64,${bytes.toString('base64')}`;
}
