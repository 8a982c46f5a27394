import { RequestError, type ContentBlock } from '@agentclientprotocol/sdk';
import { text, type Content } from '@varve/events';

/** Returns the blocks of a prompt as content of a message. @throws {RequestError} for a block that is not offered. */
export function contentOf(prompt: readonly ContentBlock[]): readonly Content[] {
  return prompt.map(blockOf);
}

function blockOf(block: ContentBlock): Content {
  switch (block.type) {
    case 'text':
      return text(block.text);
    case 'image':
      return { cache_prompt: false, type: 'image', image_urls: [`data:${block.mimeType};base64,${block.data}`] };
    case 'resource_link':
      return text(`[${block.name}](${block.uri})`);
    case 'resource': {
      const { uri } = block.resource;
      if (!('text' in block.resource)) return text(`[${uri}](${uri})`);
      return text(`<file uri=${JSON.stringify(uri)}>\n${block.resource.text}\n</file>`);
    }
    case 'audio':
      break;
  }
  throw RequestError.invalidParams({ type: block.type }, 'This agent accepts text, images, links and files.');
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
