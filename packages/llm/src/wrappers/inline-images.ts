import { text, type Content, type Message } from '@varve/events';
import { baseUrlOf } from '../base-url-of.ts';
import { LlmError } from '../error.ts';
import type { LanguageModel, ModelWrapper } from '../language-model.ts';
import { dialectFor } from '../dialects/dialect-rules.ts';
import { redactLine } from '../redact.ts';
import { fetchImage, type FetchImageOptions } from './fetch-image.ts';
import { isPublicAddress } from './is-public-address.ts';
import { messageCache, type MessageCache } from './message-cache.ts';

/** Options of {@link inlineImages}. */
export interface InlineImageOptions {
  /** `needed` (default): only for servers that are known not to fetch images. */
  readonly when?: 'needed' | 'always';
  /** Maximum size of one image; 20 million by default. A larger image is replaced by a note. */
  readonly maxBytes?: number;
  /**
   * Maximum size of all encoded images kept for later requests; 64 million by default. Those of the latest request
   * stay.
   */
  readonly maxKeptBytes?: number;
  /** Timeout of one image; 30 seconds by default. */
  readonly timeoutMs?: number;
  /** Allows connections to this machine and to private networks, under any name; false by default. */
  readonly allowPrivate?: boolean;
  /** Resolves a host name; that of the system by default. */
  readonly lookup?: FetchImageOptions['lookup'];
  /** Called for each image that could not be fetched; its address is sent unchanged. Must not throw. */
  readonly onProblem?: (problem: string) => void;
}

/**
 * Replaces the addresses of images by the images, for servers that do not fetch them. Results are cached by message, so
 * an image is fetched again only after many others. Nothing is fetched for a model without vision.
 */
export function inlineImages(options: InlineImageOptions = {}): ModelWrapper {
  return (model) => {
    if (!model.capabilities.vision || !isNeeded(model, options)) return model;
    const cache = messageCache(options.maxKeptBytes ?? 64_000_000);
    return {
      name: model.name,
      capabilities: model.capabilities,
      spec: model.spec,
      async generate(request, generateOptions = {}) {
        const { signal } = generateOptions;
        const context: InlineContext = { options, cache, signal };
        const messages = await Promise.all(request.messages.map((message) => inlineMessage(message, context)));
        cache.trim(request.messages);
        if (signal?.aborted) throw new LlmError('aborted', 'The model call was aborted.', { cause: signal.reason });
        const isSame = messages.every((message, index) => message === request.messages[index]);
        return model.generate(isSame ? request : { ...request, messages }, generateOptions);
      },
    };
  };
}

function isNeeded({ spec, name }: LanguageModel, { when = 'needed' }: InlineImageOptions): boolean {
  const root = baseUrlOf(spec);
  return when === 'always' || (root !== undefined && !dialectFor({ root, model: name }).imageUrls);
}

interface InlineContext {
  readonly options: InlineImageOptions;
  readonly cache: MessageCache;
  readonly signal: AbortSignal | undefined;
}

async function inlineMessage(message: Message, context: InlineContext): Promise<Message> {
  const cached = context.cache.get(message);
  if (cached || message.content.every(({ type }) => type === 'text')) return cached ?? message;
  let isWhole = true;
  const blocks = await Promise.all(
    message.content.map(async (block): Promise<readonly Content[]> => {
      if (block.type === 'text') return [block];
      const images = await Promise.all(block.image_urls.map((url) => inlineUrl(url, context)));
      isWhole &&= images.every(({ isFinal }) => isFinal);
      const urls = images.flatMap(({ url }) => url ?? []);
      const notes = images.flatMap(({ note }) => (note === undefined ? [] : [text(note)]));
      const isSame = urls.every((url, index) => url === block.image_urls[index]) && notes.length === 0;
      return isSame ? [block] : [...notes, ...(urls.length > 0 ? [{ ...block, image_urls: urls }] : [])];
    }),
  );
  const content = blocks.flat();
  const isSame = content.every((block, index) => block === message.content[index]);
  const inline = isSame ? message : { ...message, content };
  // Images that could not be fetched may be available for the next request.
  if (isWhole) context.cache.set(message, inline);
  return inline;
}

interface InlinedUrl {
  readonly url?: string;
  readonly note?: string;
  /** Another attempt would return the same result. */
  readonly isFinal: boolean;
}

async function inlineUrl(url: string, { options, signal }: InlineContext): Promise<InlinedUrl> {
  const { maxBytes = 20_000_000, timeoutMs = 30_000, allowPrivate = false, lookup } = options;
  const isAllowed = allowPrivate ? () => true : isPublicAddress;
  const leftOut = { note: `(1 image left out: it has more than ${maxBytes} bytes.)`, isFinal: true };
  if (url.startsWith('data:')) return url.length * 0.75 > maxBytes + 100 ? leftOut : { url, isFinal: true };
  if (!/^https?:/.test(url)) return { url, isFinal: true };
  const late = AbortSignal.timeout(timeoutMs);
  const either = signal ? AbortSignal.any([signal, late]) : late;
  try {
    const { type, bytes } = await fetchImage(url, {
      maxBytes,
      isAllowed,
      signal: either,
      ...(lookup && { lookup }),
    });
    return { url: `data:${type};base64,${bytes.toString('base64')}`, isFinal: true };
  } catch (error) {
    if (error instanceof RangeError) return leftOut;
    if (!signal?.aborted) options.onProblem?.(redactLine(`The image at ${url} could not be fetched: ${String(error)}`));
    return { url, isFinal: false };
  }
}
