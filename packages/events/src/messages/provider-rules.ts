import type { Content } from '../content.ts';

/**
 * The blocks as a strict provider takes them: blank ones are left out, and half characters, which UTF-8 cannot hold, are
 * replaced. The same array when nothing is to be done.
 */
export function legalContent(content: readonly Content[]): readonly Content[] {
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

/** What providers take for the name of a function. */
const legalName = /^[a-zA-Z0-9_-]{1,64}$/;

/** Whether a strict provider takes this as the name of a called tool. */
export function isLegalToolName(name: string): boolean {
  return legalName.test(name);
}

/**
 * The name of a called tool as a strict provider takes it. Models now and then call tools by names that nobody could offer;
 * such a name, sent back as it is, would make the provider reject every later request.
 */
export function legalToolName(name: string): string {
  if (isLegalToolName(name)) return name;
  return name.slice(0, 64).replaceAll(/[^a-zA-Z0-9_-]/g, '_') || 'unknown';
}

/**
 * Makes the ids of calls unique within a request: the first user of an id keeps it, later ones get a number. Providers
 * reject a request in which two calls share an id, or one has none; logs in the wild hold both.
 */
export function uniqueCallIds(): (id: string) => string {
  const used = new Set<string>();
  const rounds = new Map<string, number>();
  return (id) => {
    const base = id === '' ? 'call' : id;
    let round = rounds.get(base) ?? 1;
    let candidate = round === 1 ? base : `${base}_${round}`;
    while (used.has(candidate)) candidate = `${base}_${++round}`;
    rounds.set(base, round + 1);
    used.add(candidate);
    return candidate;
  };
}

/** Whether a text is the JSON of an object: what providers demand of tool-call arguments. */
export function isObjectJson(json: string): boolean {
  try {
    const value: unknown = JSON.parse(json);
    return typeof value === 'object' && value !== null && !Array.isArray(value);
  } catch {
    return false;
  }
}

/**
 * The one field of the arguments that stand in a request for what a model wrote and no provider would parse: its text as it
 * was. Who renders calls in another form can show that text again.
 */
export const unparsedArguments = 'unparsed_arguments';
