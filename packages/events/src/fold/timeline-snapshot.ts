import * as z from 'zod';
import { lazy } from '../lazy.ts';
import { freezeJson } from '../immutable.ts';
import type { Json } from '../json.ts';
import { Head } from './tree.ts';
import type { Projection } from './projection.ts';

/** Projections by name. */
export type Projections = Readonly<Record<string, Projection<unknown, unknown>>>;

/** State of a timeline at one seq. */
export interface TimelineState {
  /** Seq of the next event. */
  readonly next: number;
  /** Id of the last event in the log; empty for an empty log. */
  readonly last: string;
  readonly head: Head;
  readonly states: ReadonlyMap<string, unknown>;
}

/** Schema of a snapshot. States are not checked: the checksum proves that a projection wrote them. */
const snapshot = lazy(() =>
  z.object({
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
  }),
);

/** Returns the state of a timeline as JSON. */
export function writeSnapshot({ next, last, head, states }: TimelineState, projections: Projections): Json {
  const saved = Object.entries(projections).map(([name, projection]) => ({
    name,
    version: projection.version,
    state: projection.encode(states.get(name)),
  }));
  const written = { next, last, head: head.toJson(), states: saved };
  // States may share parts with their JSON.
  return freezeJson({ ...written, checksum: checksum(JSON.stringify(written)) });
}

/** Returns undefined if the JSON is damaged, or is not a snapshot of exactly these projections and versions. */
export function readSnapshot(json: Json, projections: Projections): TimelineState | undefined {
  const parsed = snapshot().safeParse(json);
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

/** The checksum covers all of the JSON, unknown fields included. */
function hasValidChecksum(json: Json): boolean {
  const { checksum: expected, ...written } = json as Readonly<Record<string, Json>>;
  return checksum(JSON.stringify(written)) === expected;
}

/**
 * Returns a 53-bit hash of the code units of a text as 14 hexadecimal digits. It misses about one in 10^15 damages and
 * does not protect against manipulation.
 *
 * @see https://github.com/bryc/code/blob/master/jshash/experimental/cyrb53.js (public domain)
 */
function checksum(text: string): string {
  let low = 0xdeadbeef;
  let high = 0x41c6ce57;
  for (let index = 0; index < text.length; index += 1) {
    const unit = text.charCodeAt(index);
    low = Math.imul(low ^ unit, 2_654_435_761);
    high = Math.imul(high ^ unit, 1_597_334_677);
  }
  low = Math.imul(low ^ (low >>> 16), 2_246_822_507) ^ Math.imul(high ^ (high >>> 13), 3_266_489_909);
  high = Math.imul(high ^ (high >>> 16), 2_246_822_507) ^ Math.imul(low ^ (low >>> 13), 3_266_489_909);
  return (2 ** 32 * (high & 0x1f_ffff) + (low >>> 0)).toString(16).padStart(14, '0');
}
