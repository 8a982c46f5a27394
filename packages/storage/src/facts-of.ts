import type { NewEvent } from './log.ts';
import type { Fact } from './facts.ts';

/** Longer values are read in their event, not looked for. */
const longestValue = 256;

/**
 * What an event says that can be looked for: the texts in a state update whose key begins with `varve.`, itself, its
 * members or the items of a list; each once. What is deeper, longer than 256 UTF-16 units or no text is left out.
 */
export function factsOf({ kind, text }: Pick<NewEvent, 'kind' | 'text'>): readonly Pick<Fact, 'name' | 'value'>[] {
  if (kind !== 'ConversationStateUpdateEvent' || !text.includes('varve.')) return [];
  const { key, value } = parsed(text);
  if (typeof key !== 'string' || !key.startsWith('varve.') || key.length > longestValue) return [];
  const isRecord = typeof value === 'object' && value !== null && !Array.isArray(value);
  const members = isRecord
    ? Object.entries(value).map(([member, said]) => ({ name: `${key}.${member}`, said }))
    : [{ name: key, said: value }];
  return members.flatMap(({ name, said }) => [...new Set(textsIn(said))].map((one) => ({ name, value: one })));
}

function textsIn(said: unknown): readonly string[] {
  const items: readonly unknown[] = Array.isArray(said) ? said : [said];
  return items.filter((item) => typeof item === 'string').filter((item) => isFindable(item));
}

/** What no store could keep exactly is in no index of it either. */
function isFindable(item: string): boolean {
  return item.length <= longestValue && item.isWellFormed() && !item.includes('\0');
}

function parsed(text: string): Readonly<Record<string, unknown>> {
  try {
    const body: unknown = JSON.parse(text);
    return typeof body === 'object' && body !== null ? { ...body } : {};
  } catch {
    return {};
  }
}
