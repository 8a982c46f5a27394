import { text, type Content } from '@varve/events';
import { fieldsOf, stringOf, type Fields } from '../common/foreign-json.ts';

/** Returns the blocks of a chat message's content: a string, or parts of text and images. */
export function contentOf(content: unknown): readonly Content[] {
  if (typeof content === 'string') return content === '' ? [] : [text(content)];
  if (!Array.isArray(content)) return [];
  return content.flatMap((part: unknown): readonly Content[] => blockOf(fieldsOf(part) ?? {}));
}

function blockOf(part: Fields): readonly Content[] {
  const partText = stringOf(part['text']) ?? stringOf(part['refusal']);
  if (partText !== undefined) return [text(partText)];
  const url = stringOf(fieldsOf(part['image_url'])?.['url']) ?? stringOf(part['image_url']);
  return url === undefined ? [] : [{ cache_prompt: false, type: 'image', image_urls: [url] }];
}

/** Returns content in the form of a chat message: a string, or a list when it has images. */
export function chatContent(content: readonly Content[]): string | readonly object[] {
  if (content.every((block) => block.type === 'text')) return content.map((block) => block.text).join('\n');
  return content.flatMap((block): readonly object[] =>
    block.type === 'text'
      ? [{ type: 'text', text: block.text }]
      : block.image_urls.map((url) => ({ type: 'image_url', image_url: { url } })),
  );
}
