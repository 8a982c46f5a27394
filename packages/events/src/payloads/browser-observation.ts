import * as z from 'zod';
import { defineObservation } from '../define-payload.ts';

/** Result of any browser tool. `screenshot_data` is base64; output that was too long is in `full_output_save_dir`. */
export const BrowserObservation = defineObservation(
  'BrowserObservation',
  () => ({ screenshot_data: z.exactOptional(z.string()), full_output_save_dir: z.exactOptional(z.string()) }),
  ({ content, screenshot_data: data }) =>
    typeof data === 'string' && data !== ''
      ? [...content, { cache_prompt: false, type: 'image', image_urls: [`data:${imageType(data)};base64,${data}`] }]
      : content,
);

/** Prefixes of base64 images, and their media types. */
const base64Prefixes: readonly (readonly [string, string])[] = [
  ['/9j/', 'image/jpeg'],
  ['R0lGOD', 'image/gif'],
  ['UklGR', 'image/webp'],
];

function imageType(base64: string): string {
  return base64Prefixes.find(([prefix]) => base64.startsWith(prefix))?.[1] ?? 'image/png';
}
