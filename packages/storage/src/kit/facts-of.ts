import type { NewEvent } from '../contract/log.ts';
import type { Fact } from '../contract/facts.ts';

/** Longer names and values are read in their event, not looked for. */
const longest = 256;

/**
 * What an event says that can be looked for: the texts in a state update whose key begins with `varve.`, itself, its
 * members or the items of a list; each once. What is deeper, longer than 256 UTF-16 units, as a name or a value, or no
 * text is left out.
 */
export function factsOf({ kind, text }: Pick<NewEvent, 'kind' | 'text'>): readonly Pick<Fact, 'name' | 'value'>[] {
  if (kind !== 'ConversationStateUpdateEvent' || !text.includes('varve.')) return [];
  const { key, value } = parsed(text);
  if (typeof key !== 'string' || !key.startsWith('varve.')) return [];
  const isRecord = typeof value === 'object' && value !== null && !Array.isArray(value);
  const members = isRecord
    ? Object.entries(value).map(([member, said]) => ({ name: `${key}.${member}`, said }))
    : [{ name: key, said: value }];
  const findable = members.filter(({ name }) => isFindable(name));
  return findable.flatMap(({ name, said }) => [...new Set(textsIn(said))].map((one) => ({ name, value: one })));
}

function textsIn(said: unknown): readonly string[] {
  const items: readonly unknown[] = Array.isArray(said) ? said : [said];
  return items.filter((item) => typeof item === 'string').filter((item) => isFindable(item));
}

/** What no store could keep exactly is in no index of it either. */
function isFindable(text: string): boolean {
  return text.length <= longest && text.isWellFormed() && !text.includes('\0');
}

function parsed(text: string): Readonly<Record<string, unknown>> {
  try {
    const body: unknown = JSON.parse(text);
    return typeof body === 'object' && body !== null ? { ...body } : {};
  } catch {
    return {};
  }
}
