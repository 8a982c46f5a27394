import { isContent, type Content } from '../content.ts';
import { safeText } from '../safe-text/safe-text.ts';

/** Named value of an event. */
export interface Field {
  readonly name: string;
  readonly value: unknown;
}

/**
 * Renders JSON as indented lines for people, without quotes and braces: `name: value`, lists with dashes, content
 * blocks as their text. Empty lists, objects and texts are omitted.
 */
export function fieldLines(fields: readonly Field[], label: (name: string) => string): readonly string[] {
  return fields.flatMap(({ name, value }) => {
    const lines = valueLines(value, label);
    if (lines === undefined) return [];
    const [first = '', ...more] = lines;
    const isShort = more.length === 0 && isInline(value);
    return isShort ? [`${label(name)} ${first}`] : [label(name), ...lines.map((line) => `  ${line}`)];
  });
}

/** Returns undefined for empty values. */
function valueLines(value: unknown, label: (name: string) => string): readonly string[] | undefined {
  if (value === undefined || value === '') return undefined;
  if (typeof value === 'string') return safeText(value).replace(/\n$/, '').split('\n');
  if (typeof value !== 'object' || value === null) return [JSON.stringify(value)];
  if (isContent(value)) return [...blockLines(value)];
  if (!Array.isArray(value)) {
    const lines = fieldLines(Object.entries(value).map(asField), label);
    return lines.length === 0 ? undefined : lines;
  }
  if (value.length === 0) return undefined;
  if (value.every(isContent)) return value.flatMap(blockLines);
  if (value.every(isInline)) return [value.map((item) => inlineText(item)).join(', ')];
  return value.flatMap((item) => listItem(valueLines(item, label) ?? ['(empty)']));
}

function asField([name, value]: readonly [string, unknown]): Field {
  return { name: safeText(name).replaceAll('\n', ' '), value };
}

function listItem([first = '', ...more]: readonly string[]): readonly string[] {
  return [`- ${first}`, ...more.map((line) => `  ${line}`)];
}

function blockLines(block: Content): readonly string[] {
  if (block.type === 'text') return safeText(block.text).replace(/\n$/, '').split('\n');
  return block.image_urls.map(imageText);
}

/** Describes an image by its type and size. */
function imageText(url: string): string {
  const [, type = 'image'] = /^data:([^;,]{1,80})/.exec(url) ?? [];
  return url.startsWith('data:') ? `[${safeText(type)}, ${url.length} characters]` : `[image: ${safeText(url)}]`;
}

function isInline(value: unknown): boolean {
  if (typeof value === 'string') return !value.replace(/\n$/, '').includes('\n');
  return typeof value !== 'object' || value === null || (Array.isArray(value) && value.every(isScalar));
}

function isScalar(value: unknown): boolean {
  return typeof value !== 'object' || value === null;
}

function inlineText(value: unknown): string {
  return typeof value === 'string' ? safeText(value) : JSON.stringify(value);
}
