import * as z from 'zod';
import { lazy } from './lazy.ts';
import type { Immutable } from './immutable.ts';
import { withReadRepair } from './lenient.ts';

const withoutTruncationFlag = (raw: unknown): unknown => {
  if (typeof raw !== 'object' || raw === null || !('enable_truncation' in raw)) return raw;
  const { enable_truncation: _legacy, ...block } = raw;
  return block;
};

/** Block of text. `cache_prompt` is written first, and is set only on copies at request time. */
export const textContent = lazy(() =>
  withReadRepair(
    z.strictObject({ cache_prompt: z.boolean().default(false), type: z.literal('text'), text: z.string() }),
    withoutTruncationFlag,
  ),
);

/** One or more images, as data or http URLs. */
const imageContent = lazy(() =>
  z.strictObject({
    cache_prompt: z.boolean().default(false),
    type: z.literal('image'),
    image_urls: z.array(z.string()),
  }),
);

/** List of blocks. When read, null and absence become the empty list, and a bare string becomes one text block. */
export const contentList = lazy(() =>
  withReadRepair(z.array(z.discriminatedUnion('type', [textContent(), imageContent()])), (raw) => {
    if (raw === null || raw === undefined) return [];
    return typeof raw === 'string' ? [text(raw)] : raw;
  }),
);

export type TextContent = Immutable<z.output<ReturnType<typeof textContent>>>;
export type ImageContent = Immutable<z.output<ReturnType<typeof imageContent>>>;
/** Block of a message: text or images. */
export type Content = TextContent | ImageContent;

/** Returns true if a value has the fields of a block. Other fields are ignored. */
export function isContent(value: unknown): value is Content {
  if (typeof value !== 'object' || value === null || !('type' in value)) return false;
  if (value.type === 'text') return 'text' in value && typeof value.text === 'string';
  return value.type === 'image' && 'image_urls' in value && isStringList(value.image_urls);
}

function isStringList(value: unknown): boolean {
  return Array.isArray(value) && value.every((item) => typeof item === 'string');
}

/** Returns true if content has an image, or text that is not only white space. */
export function hasContent(content: readonly Content[]): boolean {
  return content.some((block) => (block.type === 'text' ? block.text.trim() !== '' : block.image_urls.length > 0));
}

/** Creates a text block without a cache mark. */
export function text(value: string): TextContent {
  return { cache_prompt: false, type: 'text', text: value };
}

/** Returns the text of all text blocks, joined by line feeds. Images are omitted. */
export function textOf(content: readonly Content[]): string {
  return content.flatMap((block) => (block.type === 'text' ? [block.text] : [])).join('\n');
}
