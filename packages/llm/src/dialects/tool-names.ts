import { createHash } from 'node:crypto';
import type { ToolSpec } from '../model-request.ts';

const acceptedName = /^[A-Za-z0-9_-]{1,64}$/;

/**
 * Returns the name of a tool on the wire: unchanged when every provider accepts it, otherwise its accepted characters
 * and a digest. Does not depend on the other tools of the request.
 */
export function wireName(name: string): string {
  if (acceptedName.test(name)) return name;
  const digest = createHash('sha256').update(name).digest('hex').slice(0, 8);
  return `${name.replaceAll(/[^A-Za-z0-9_-]/g, '_').slice(0, 55)}_${digest}`;
}

/** Prefixes and suffixes that models and servers add to names. */
const additions: readonly RegExp[] = [/^functions\./, /<\|.*$/s, /:\d+$/, /^\s+/, /(?<!\s)\s+$/];

/** Longest name from which additions are removed; a longer one is only compared. */
const maxNameLength = 1000;

/**
 * Returns a function from names on the wire to the tools' own names: reverses {@link wireName}, and removes additions
 * unless a tool has that very name. Any other name is returned unchanged.
 */
export function toolNameLookup(tools: readonly ToolSpec[]): (name: string) => string {
  const originals = new Map(tools.flatMap(({ name }) => [[name, name] as const, [wireName(name), name] as const]));
  return (name) => {
    if (name.length > maxNameLength) return originals.get(name) ?? name;
    let bare = name;
    for (const addition of additions) {
      const known = originals.get(bare);
      if (known !== undefined) return known;
      bare = bare.replace(addition, '');
    }
    return originals.get(bare) ?? name;
  };
}
