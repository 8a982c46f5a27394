import { z } from 'zod';
import type { Json } from '../json.ts';
import { Head } from './tree.ts';
import type { Projection } from './projection.ts';

/** Projections by the name under which they are read. */
export type Projections = Readonly<Record<string, Projection<unknown, unknown>>>;

/** What a timeline is made of at one seq. */
export interface TimelineState {
  /** The seq of the next event. */
  readonly next: number;
  /** The id of the event before it, as the log has it; empty when there is none. */
  readonly last: string;
  readonly head: Head;
  readonly states: ReadonlyMap<string, unknown>;
}

/** What states hold is for their projections to know: the checksum says that it is what one of them wrote. */
const snapshot = z.object({
  next: z.number().int().nonnegative(),
  last: z.string(),
  head: z.object({
    id: z.string(),
    before: z.number().int().nonnegative(),
    tips: z.array(z.string()),
    isTipLast: z.boolean(),
  }),
  states: z.array(z.object({ name: z.string(), version: z.number(), state: z.custom<Json>() })),
  checksum: z.string(),
});

/** Everything a timeline needs to go on, as JSON. */
export function writeSnapshot({ next, last, head, states }: TimelineState, projections: Projections): Json {
  const saved = Object.entries(projections).map(([name, projection]) => ({
    name,
    version: projection.version,
    state: projection.encode(states.get(name)),
  }));
  const written = { next, last, head: head.toJson(), states: saved };
  return { ...written, checksum: checksum(JSON.stringify(written)) };
}

/** Undefined when the JSON is not a snapshot of exactly these projections in these versions, or not as it was written. */
export function readSnapshot(json: Json, projections: Projections): TimelineState | undefined {
  const parsed = snapshot.safeParse(json);
  if (!parsed.success || !hasValidChecksum(json)) return undefined;
  const { next, last, head, states } = parsed.data;
  const saved = new Map(states.map((entry) => [entry.name, entry]));
  const restored = new Map<string, unknown>();
  for (const [name, projection] of Object.entries(projections)) {
    const entry = saved.get(name);
    if (entry?.version !== projection.version) return undefined;
    try {
      restored.set(name, projection.decode(entry.state));
    } catch {
      return undefined;
    }
  }
  return saved.size === restored.size ? { next, last, head: Head.fromJson(head), states: restored } : undefined;
}

/** All of the JSON counts, also what no schema knows. */
function hasValidChecksum(json: Json): boolean {
  const { checksum: expected, ...written } = json as Readonly<Record<string, Json>>;
  return checksum(JSON.stringify(written)) === expected;
}

/**
 * 53 bits over the code units of a text, as 14 hexadecimal digits: any damage changes them, but for one in some 10^15.
 * No proof against people, who can compute it too.
 *
 * @see https://github.com/bryc/code/blob/master/jshash/experimental/cyrb53.js (public domain)
 */
function checksum(text: string): string {
  let one = 0xdeadbeef;
  let other = 0x41c6ce57;
  for (let index = 0; index < text.length; index += 1) {
    const unit = text.charCodeAt(index);
    one = Math.imul(one ^ unit, 2_654_435_761);
    other = Math.imul(other ^ unit, 1_597_334_677);
  }
  one = Math.imul(one ^ (one >>> 16), 2_246_822_507) ^ Math.imul(other ^ (other >>> 13), 3_266_489_909);
  other = Math.imul(other ^ (other >>> 16), 2_246_822_507) ^ Math.imul(one ^ (one >>> 13), 3_266_489_909);
  return (2 ** 32 * (other & 0x1f_ffff) + (one >>> 0)).toString(16).padStart(14, '0');
}
