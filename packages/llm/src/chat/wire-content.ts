import { text, textOf, type Content, type Message } from '@varve/events';
import { toolText } from '../tool-text.ts';
import { cacheMark } from './cache-marks.ts';
import { countOfImages, omittedImages, sendsImages, type ContentSettings } from '../protocol/wire-settings.ts';
import type { WireImagePart, WirePart, WireTextPart } from './wire-request.ts';

/**
 * Returns the content of a system or user message: one string, or parts where images or cache marks need them. The
 * blocks of a system message stay separate where prefixes are marked, because conversations share only the first of
 * them.
 */
export function wireContent({ role, content }: Message, settings: ContentSettings): string | readonly WirePart[] {
  const blocks = content.map((block) => sentBlock(settings, block));
  const isSeparate = role === 'system' && blocks.length > 1 && usesCacheMarks(settings);
  if (!isSeparate && blocks.every((block) => block.type === 'text' && !block.cache_prompt)) return textOf(blocks);
  const parts = blocks.flatMap(partsOf);
  return parts.length > 0 ? parts : textOf(blocks);
}

/** Returns the content of a tool result. A note refers to its images, which {@link toolImages} returns. */
export function wireToolContent({ content }: Message, settings: ContentSettings): string | readonly WirePart[] {
  const images = imageCount(content);
  const output = toolText(content);
  const note = sendsImages(settings)
    ? `(${countOfImages(images)} of this result: see the next user message.)`
    : omittedImages(images);
  const whole = images === 0 ? output : [output, note].filter((line) => line !== '').join('\n');
  if (whole === '' || !usesCacheMarks(settings) || !content.some((block) => block.cache_prompt)) return whole;
  return [{ type: 'text', text: whole, ...cacheMark }];
}

/** Returns the images of a tool result as parts of a later user message, after a text with the id of their call. */
export function toolImages({ content, tool_call_id }: Message): readonly WirePart[] {
  const images = content.flatMap((block) => (block.type === 'image' ? imageParts(block.image_urls, false) : []));
  if (images.length === 0) return [];
  return [{ type: 'text', text: `Images from the result of call ${tool_call_id}:` }, ...images];
}

function usesCacheMarks({ dialect }: ContentSettings): boolean {
  return dialect.cacheMarks && dialect.parts;
}

function sentBlock(settings: ContentSettings, block: Content): Content {
  const cache_prompt = block.cache_prompt && usesCacheMarks(settings);
  const isSent = sendsImages(settings) || block.type === 'text';
  return { ...(isSent ? block : text(omittedImages(block.image_urls.length))), cache_prompt };
}

function imageCount(content: readonly Content[]): number {
  return content.reduce((count, block) => count + (block.type === 'image' ? block.image_urls.length : 0), 0);
}

function partsOf(block: Content): readonly WirePart[] {
  if (block.type === 'image') return imageParts(block.image_urls, block.cache_prompt);
  // Providers with cache marks reject blank text blocks.
  if (block.text.trim() === '') return [];
  const part: WireTextPart = { type: 'text', text: block.text, ...(block.cache_prompt && cacheMark) };
  return [part];
}

function imageParts(urls: readonly string[], isMarked: boolean): readonly WireImagePart[] {
  return urls.map((url, index) => ({
    type: 'image_url',
    image_url: { url },
    ...(isMarked && index === urls.length - 1 && cacheMark),
  }));
}
