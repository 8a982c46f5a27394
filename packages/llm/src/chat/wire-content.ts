import { text, textOf, type Content, type Message } from '@varve/events';
import { toolText } from '../tool-text.ts';
import type { Dialect } from '../dialects/dialect.ts';
import type { CacheControl, WireImagePart, WirePart, WireTextPart } from './wire-request.ts';

/** What a model and its server can take. */
export interface ContentSettings {
  readonly vision: boolean;
  readonly dialect: Dialect;
}

const marked: { readonly cache_control: CacheControl } = { cache_control: { type: 'ephemeral' } };

/** Whether images travel at all. */
export function sendsImages({ vision, dialect }: ContentSettings): boolean {
  return vision && dialect.images && dialect.parts;
}

/**
 * What a system or user message says: one string, or parts where images or cache marks need them. The blocks of a system
 * message stay apart where prefixes are marked, because only the first of them is shared between conversations.
 */
export function wireContent({ role, content }: Message, settings: ContentSettings): string | readonly WirePart[] {
  const blocks = content.map((block) => takenBy(settings, block));
  const isApart = role === 'system' && blocks.length > 1 && usesCacheMarks(settings);
  if (!isApart && blocks.every((block) => block.type === 'text' && !block.cache_prompt)) return textOf(blocks);
  const parts = blocks.flatMap(partsOf);
  return parts.length > 0 ? parts : textOf(blocks);
}

/** What a tool result says; its images are told, and travel in {@link toolImages}. */
export function wireToolContent({ content }: Message, settings: ContentSettings): string | readonly WirePart[] {
  const images = imageCount(content);
  const said = toolText(content);
  const note = sendsImages(settings)
    ? `(${counted(images)} of this result: see the next user message.)`
    : omittedImages(images);
  const whole = images === 0 ? said : [said, note].filter((line) => line !== '').join('\n');
  if (whole === '' || !usesCacheMarks(settings) || !content.some((block) => block.cache_prompt)) return whole;
  return [{ type: 'text', text: whole, ...marked }];
}

/** The images of a tool result, with the call they belong to, as parts of a later user message. */
export function toolImages({ content, tool_call_id }: Message): readonly WirePart[] {
  const images = content.flatMap((block) => (block.type === 'image' ? imageParts(block.image_urls, false) : []));
  if (images.length === 0) return [];
  return [{ type: 'text', text: `Images from the result of call ${tool_call_id}:` }, ...images];
}

function usesCacheMarks({ dialect }: ContentSettings): boolean {
  return dialect.cacheMarks && dialect.parts;
}

function takenBy(settings: ContentSettings, block: Content): Content {
  const cache_prompt = block.cache_prompt && usesCacheMarks(settings);
  const isSeen = sendsImages(settings) || block.type === 'text';
  return { ...(isSeen ? block : text(omittedImages(block.image_urls.length))), cache_prompt };
}

/** Stands for images that are not sent. */
export function omittedImages(images: number): string {
  return `(${counted(images)} left out: this model reads text only.)`;
}

function counted(images: number): string {
  return images === 1 ? '1 image' : `${images} images`;
}

function imageCount(content: readonly Content[]): number {
  return content.reduce((count, block) => count + (block.type === 'image' ? block.image_urls.length : 0), 0);
}

function partsOf(block: Content): readonly WirePart[] {
  if (block.type === 'image') return imageParts(block.image_urls, block.cache_prompt);
  // Providers with cache marks reject text blocks without words.
  if (block.text.trim() === '') return [];
  const part: WireTextPart = { type: 'text', text: block.text, ...(block.cache_prompt && marked) };
  return [part];
}

function imageParts(urls: readonly string[], isMarked: boolean): readonly WireImagePart[] {
  return urls.map((url, index) => ({
    type: 'image_url',
    image_url: { url },
    ...(isMarked && index === urls.length - 1 && marked),
  }));
}
