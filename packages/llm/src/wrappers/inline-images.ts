import { text, type Content, type Message } from '@varve/events';
import { baseUrlOf } from '../base-url-of.ts';
import { LlmError } from '../error.ts';
import type { LanguageModel, ModelWrapper } from '../language-model.ts';
import { dialectFor } from '../dialects/dialect-for.ts';
import { redactLine } from '../redact.ts';
import { fetchImage, type FetchImageOptions } from './fetch-image.ts';
import { isPublicAddress } from './is-public-address.ts';
import { messageCache, type MessageCache } from './message-cache.ts';

/** Which images are fetched, and within which limits. */
export interface InlineImageOptions {
  /** `needed`, which is the default: for servers that are known to fetch no images themselves. */
  readonly when?: 'needed' | 'always';
  /** Of one image; 20 million when absent. Larger ones are left out, with a note in their place. */
  readonly maxBytes?: number;
  /** Of all images that are kept for later requests, as they are sent; 64 million when absent. Those of the latest stay. */
  readonly maxKeptBytes?: number;
  /** Of one image; 30 seconds when absent. */
  readonly timeoutMs?: number;
  /** Whether servers of this machine and of private networks may be asked, whatever names them; no when absent. */
  readonly allowPrivate?: boolean;
  /** Asks for the addresses of a name; the system's own when absent. */
  readonly lookup?: FetchImageOptions['lookup'];
  /** Told of each image that could not be fetched; its address is sent as it is. Must not throw. */
  readonly onProblem?: (problem: string) => void;
}

/**
 * Sends images themselves in place of their addresses, for servers that do not fetch them. What a message became is kept, so
 * an image is fetched again only when many others came after it; nothing is fetched for a model that sees no images.
 */
export function inlineImages(options: InlineImageOptions = {}): ModelWrapper {
  return (model) => {
    if (!model.capabilities.vision || !isNeeded(model, options)) return model;
    const known = messageCache(options.maxKeptBytes ?? 64_000_000);
    return {
      name: model.name,
      capabilities: model.capabilities,
      spec: model.spec,
      async generate(request, generateOptions = {}) {
        const { signal } = generateOptions;
        const inlining: InlineContext = { options, known, signal };
        const messages = await Promise.all(request.messages.map((message) => inlineMessage(message, inlining)));
        known.trim(request.messages);
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
  readonly known: MessageCache;
  readonly signal: AbortSignal | undefined;
}

async function inlineMessage(message: Message, inlining: InlineContext): Promise<Message> {
  const done = inlining.known.get(message);
  if (done || message.content.every(({ type }) => type === 'text')) return done ?? message;
  let isWhole = true;
  const blocks = await Promise.all(
    message.content.map(async (block): Promise<readonly Content[]> => {
      if (block.type === 'text') return [block];
      const images = await Promise.all(block.image_urls.map((url) => inlineUrl(url, inlining)));
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
  // What could not be fetched this time may be there the next.
  if (isWhole) inlining.known.set(message, inline);
  return inline;
}

interface InlinedUrl {
  readonly url?: string;
  readonly note?: string;
  /** Whether another attempt would give the same. */
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
