import { text, type Content } from '@varve/events';
import { truncateMiddle, type Redactor } from '@varve/text';

/** Result of a call, as far as it is read. */
export interface McpResult {
  readonly content: readonly McpBlock[];
  readonly structuredContent?: unknown;
  readonly isError?: boolean | undefined;
}

type McpBlock =
  | { readonly type: 'text'; readonly text: string }
  | { readonly type: 'image' | 'audio'; readonly data: string; readonly mimeType: string }
  | { readonly type: 'resource_link'; readonly name: string; readonly uri: string }
  | { readonly type: 'resource'; readonly resource: { readonly uri: string; readonly text?: string } };

/** Longest text of a result, in characters, and largest images together, in characters of their encoding. */
const maxChars = 50_000;
const maxImageChars = 4 * 1024 * 1024;

const imageTypes = new Set(['image/png', 'image/jpeg', 'image/gif', 'image/webp']);

/** Returns a result for the model: its texts with masked secrets, cut in the middle, and its images. */
export function contentOfResult({ content, structuredContent }: McpResult, redactor: Redactor): readonly Content[] {
  const hasOnlyData = content.length === 0 && structuredContent !== undefined;
  return contentOfBlocks(hasOnlyData ? [{ type: 'text', text: JSON.stringify(structuredContent) }] : content, redactor);
}

/** Returns blocks for the model, as {@link contentOfResult} does. */
export function contentOfBlocks(blocks: readonly McpBlock[], redactor: Redactor): readonly Content[] {
  const texts: string[] = [];
  const images: string[] = [];
  let left = maxImageChars;
  for (const block of blocks) {
    if (block.type === 'image' && imageTypes.has(block.mimeType) && block.data.length <= left) {
      left -= block.data.length;
      images.push(`data:${block.mimeType};base64,${block.data}`);
    } else texts.push(textOfBlock(block));
  }
  const whole = redactor.text(texts.join('\n')).toWellFormed();
  const shortened = truncateMiddle(whole, maxChars, ({ chars }) => `\n[${chars} characters are left out]\n`);
  return [
    ...(shortened === '' && images.length > 0
      ? []
      : [text(shortened === '' ? 'The tool returned nothing.' : shortened)]),
    ...(images.length === 0 ? [] : [{ type: 'image', image_urls: images, cache_prompt: false } as const]),
  ];
}

function textOfBlock(block: McpBlock): string {
  if (block.type === 'text') return block.text;
  if (block.type === 'resource_link') return `${block.name}: ${block.uri}`;
  if (block.type === 'resource') return block.resource.text ?? `[${block.resource.uri}: data that is not text]`;
  return `[${block.type} of type ${block.mimeType} that is not shown]`;
}
