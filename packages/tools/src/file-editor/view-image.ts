import { extname } from 'node:path';
import type { ImageContent } from '@varve/events';
import { readRegularFile } from '../files/read-file.ts';
import { isRefusal, refuse, refuseFailure, type Refusal } from '../files/refusal.ts';
import type { Target } from '../files/target.ts';

const extensions = new Set(['.png', '.jpg', '.jpeg', '.gif', '.webp', '.bmp']);
const maxBytes = 5 * 1024 * 1024;

/** Returns true for a path that is shown as an image. */
export function isImagePath(path: string): boolean {
  return extensions.has(extname(path).toLowerCase());
}

/**
 * Returns an image of at most 5 MB as a data URL. Its type is detected from the content, because extensions may be
 * wrong.
 */
export async function viewImage({ path, real, stats }: Target): Promise<ImageContent | Refusal> {
  if ((stats?.size ?? 0) > maxBytes) {
    return refuse(
      `The image ${path} is too large to show: ${((stats?.size ?? 0) / 1024 / 1024).toFixed(1)} MB, and the limit is 5.0 MB.`,
    );
  }
  const bytes = await readRegularFile(real, maxBytes).catch((error: unknown) => refuseFailure('Reading', path, error));
  if (isRefusal(bytes)) return bytes;
  const type = imageType(bytes);
  if (type === undefined) return refuse(`The file ${path} has the name of an image, but its content is not one.`);
  return { cache_prompt: false, type: 'image', image_urls: [`data:${type};base64,${bytes.toString('base64')}`] };
}

function imageType(bytes: Buffer): string | undefined {
  const start = bytes.toString('latin1', 0, 12);
  if (start.startsWith('\u0089PNG\r\n\u001A\n')) return 'image/png';
  if (start.startsWith('\u00FF\u00D8\u00FF')) return 'image/jpeg';
  if (start.startsWith('GIF87a') || start.startsWith('GIF89a')) return 'image/gif';
  if (start.startsWith('RIFF') && start.slice(8) === 'WEBP') return 'image/webp';
  return start.startsWith('BM') ? 'image/bmp' : undefined;
}
