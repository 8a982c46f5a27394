import type { Content } from '../content.ts';

/**
 * Returns blocks that a strict provider accepts: blank blocks are omitted, and lone surrogates, which UTF-8 cannot
 * encode, are replaced. Returns the same array if all blocks are legal.
 */
export function legalContent(content: readonly Content[]): readonly Content[] {
  return content.every(isLegalBlock) ? content : content.filter(isVisible).map(wellFormed);
}

/** Returns true if a strict provider accepts a block. */
export function isLegalBlock(block: Content): boolean {
  return isVisible(block) && (block.type === 'image' || block.text.isWellFormed());
}

function isVisible(block: Content): boolean {
  return block.type === 'text' ? block.text.trim() !== '' : block.image_urls.length > 0;
}

function wellFormed(block: Content): Content {
  return block.type === 'text' ? { ...block, text: block.text.toWellFormed() } : block;
}

/** Function names that providers accept. */
const legalName = /^[a-zA-Z0-9_-]{1,64}$/;

/** Returns true if a strict provider accepts the name of a called tool. */
export function isLegalToolName(name: string): boolean {
  return legalName.test(name);
}

/**
 * Returns the name of a called tool in a form that a strict provider accepts. Models sometimes call tools by names that
 * no tool can have. If such a name were sent back, the provider would reject every later request.
 */
export function legalToolName(name: string): string {
  if (isLegalToolName(name)) return name;
  return name.slice(0, 64).replaceAll(/[^a-zA-Z0-9_-]/g, '_') || 'unknown';
}

/**
 * Creates a function that makes call ids unique within a request: the first call keeps its id, later ones get a number.
 * Providers reject requests with repeated or empty call ids, and real logs contain both.
 */
export function uniqueCallIds(): (id: string) => string {
  const used = new Set<string>();
  const rounds = new Map<string, number>();
  return (id) => {
    const base = id === '' ? 'call' : id;
    let candidate = base;
    if (used.has(base)) {
      let round = rounds.get(base) ?? 2;
      while (used.has(`${base}_${round}`)) round++;
      rounds.set(base, round + 1);
      candidate = `${base}_${round}`;
    }
    used.add(candidate);
    return candidate;
  };
}

/** Returns true if text is the JSON of an object, which providers require of tool-call arguments. */
export function isObjectJson(json: string): boolean {
  try {
    const value: unknown = JSON.parse(json);
    return typeof value === 'object' && value !== null && !Array.isArray(value);
  } catch {
    return false;
  }
}

/** Longest arguments that are parsed, in UTF-16 units: the values of JSON need many times the memory of its text. */
const maxParsed = 4_000_000;

/** Returns true for arguments that a request contains as the model wrote them: an object, and not too long to tell. */
export function areLegalArguments(json: string): boolean {
  return json.length <= maxParsed && isObjectJson(json);
}

/**
 * Name of the only field of arguments that replace invalid JSON of the model in a request. Its value is the original
 * text, which renderers of other call formats can restore.
 */
export const unparsedArguments = 'unparsed_arguments';
