import { createHash } from 'node:crypto';
import type { ToolSpec } from '../model-request.ts';

const fitting = /^[A-Za-z0-9_-]{1,64}$/;

/**
 * The name of a tool on the wire: as it is when every provider takes it, else its fitting characters and a digest. The same in
 * every request, whatever other tools there are.
 */
export function wireName(name: string): string {
  if (fitting.test(name)) return name;
  const digest = createHash('sha256').update(name).digest('hex').slice(0, 8);
  return `${name.replaceAll(/[^A-Za-z0-9_-]/g, '_').slice(0, 55)}_${digest}`;
}

/** What models and servers add to names they were given. */
const additions: readonly RegExp[] = [/^functions\./, /<\|.*$/s, /:\d+$/, /^\s+/, /\s+$/];

/**
 * Gives the tools of a request their own names back: those that were changed for the wire, and those that came with something
 * added that no tool is called. Any other name is left as it came.
 */
export function toolNameLookup(tools: readonly ToolSpec[]): (name: string) => string {
  const own = new Map(tools.flatMap(({ name }) => [[name, name] as const, [wireName(name), name] as const]));
  return (name) => {
    let bare = name;
    for (const addition of additions) {
      const known = own.get(bare);
      if (known !== undefined) return known;
      bare = bare.replace(addition, '');
    }
    return own.get(bare) ?? name;
  };
}
