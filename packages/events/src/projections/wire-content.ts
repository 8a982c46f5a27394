import type { Content } from '../content.ts';

/**
 * The blocks as a strict provider takes them: blank ones are left out, and half characters, which UTF-8 cannot hold, are
 * replaced. The same array when nothing is to be done.
 */
export function wireContent(content: readonly Content[]): readonly Content[] {
  return content.every(isLegalBlock) ? content : content.filter(isVisible).map(whole);
}

/** Whether a strict provider takes a block as it is. */
export function isLegalBlock(block: Content): boolean {
  return isVisible(block) && (block.type === 'image' || block.text.isWellFormed());
}

function isVisible(block: Content): boolean {
  return block.type === 'text' ? block.text.trim() !== '' : block.image_urls.length > 0;
}

function whole(block: Content): Content {
  return block.type === 'text' ? { ...block, text: block.text.toWellFormed() } : block;
}
