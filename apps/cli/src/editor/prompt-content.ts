import { RequestError, type ContentBlock } from '@agentclientprotocol/sdk';
import { text, type Content } from '@varve/events';
import type { LanguageModel } from '@varve/llm';
import { imageTypeOf, maxImageBytes } from '../opening/image-types.ts';

type Model = Pick<LanguageModel, 'name' | 'capabilities'>;

/**
 * Returns the blocks of a prompt as content of a message.
 *
 * @throws {RequestError} for a block that the model would not get.
 */
export function contentOf(prompt: readonly ContentBlock[], model: Model): readonly Content[] {
  return prompt.flatMap((block) => contentOfBlock(block, model));
}

function contentOfBlock(block: ContentBlock, model: Model): Content | readonly Content[] {
  switch (block.type) {
    case 'text':
      return text(block.text);
    case 'image': {
      const image = imageOf(Buffer.from(block.data, 'base64'), model);
      if (image) return image;
      throw refused(block.mimeType, 'An image is PNG, JPEG, GIF or WebP.');
    }
    case 'resource_link':
      return linkTo(block.uri, block.name);
    case 'resource': {
      const { resource } = block;
      if ('text' in resource) return fileOf(resource.uri, resource.text);
      const bytes = Buffer.from(resource.blob, 'base64');
      const image = imageOf(bytes, model);
      if (image) return [linkTo(resource.uri), image];
      const file = textFileOf(resource.uri, bytes);
      if (file) return file;
      throw refused(resource.mimeType, `${resource.uri} is neither a text nor an image.`);
    }
    case 'audio':
      break;
  }
  throw refused(block.mimeType, 'This agent accepts text, images, links and files.');
}

function linkTo(uri: string, name = uri): Content {
  return text(`[${name}](${uri})`);
}

/** Returns an image by its bytes, whatever its stated type is; undefined for other bytes. */
function imageOf(bytes: Buffer, { name, capabilities }: Model): Content | undefined {
  const type = imageTypeOf(bytes);
  if (type === undefined) return undefined;
  if (!capabilities.vision) throw refused(type, `${name} does not see images.`);
  if (bytes.length > maxImageBytes) throw refused(type, 'An image has at most 5 MiB.');
  return { cache_prompt: false, type: 'image', image_urls: [`data:${type};base64,${bytes.toString('base64')}`] };
}

function textFileOf(uri: string, bytes: Buffer): Content | undefined {
  if (bytes.includes(0)) return undefined;
  try {
    return fileOf(uri, new TextDecoder('utf-8', { fatal: true }).decode(bytes));
  } catch {
    return undefined;
  }
}

function fileOf(uri: string, content: string): Content {
  return text(`<file uri=${JSON.stringify(uri)}>\n${content}\n</file>`);
}

function refused(mimeType: string | null | undefined, reason: string): RequestError {
  return RequestError.invalidParams({ mimeType }, reason);
}

/** Returns stored content as blocks of a prompt. Images that are addresses are omitted. */
export function blocksOf(content: readonly Content[]): readonly ContentBlock[] {
  return content.flatMap((block): readonly ContentBlock[] => {
    if (block.type === 'text') return [{ type: 'text', text: block.text }];
    return block.image_urls.flatMap((url) => {
      const [, mimeType = '', data = ''] = /^data:([^;,]+);base64,(.*)$/s.exec(url) ?? [];
      return data === '' ? [] : [{ type: 'image' as const, mimeType, data }];
    });
  });
}
