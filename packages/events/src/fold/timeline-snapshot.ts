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
  return freezeJson({ ...written, checksum: checksum(written) });
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
  return checksum(written) === expected;
}

/**
 * Returns a 53-bit hash of JSON as 14 hexadecimal digits. It misses about one in 10^15 damages and does not protect
 * against manipulation. The JSON is not serialized for it, which took longer than the hash: most of it is long strings.
 *
 * @see https://github.com/bryc/code/blob/master/jshash/experimental/cyrb53.js (public domain)
 */
function checksum(json: Json): string {
  let [low, high] = [0xdeadbeef, 0x41c6ce57];
  const add = (text: string): void => {
    // Copies, because what a closure shares is slow to change.
    let [first, second] = [low, high];
    for (let index = 0; index < text.length; index += 1) {
      const unit = text.charCodeAt(index);
      first = Math.imul(first ^ unit, 2_654_435_761);
      second = Math.imul(second ^ unit, 1_597_334_677);
    }
    [low, high] = [first, second];
  };
  addJson(json, add);
  low = Math.imul(low ^ (low >>> 16), 2_246_822_507) ^ Math.imul(high ^ (high >>> 13), 3_266_489_909);
  high = Math.imul(high ^ (high >>> 16), 2_246_822_507) ^ Math.imul(low ^ (low >>> 13), 3_266_489_909);
  return (2 ** 32 * (high & 0x1f_ffff) + (low >>> 0)).toString(16).padStart(14, '0');
}

/** Adds a text of JSON that no other JSON has. Fields without a value are absent, as in the stored text. */
function addJson(json: Json | undefined, add: (text: string) => void): void {
  if (typeof json === 'string') {
    add(`"${json.length} `);
    add(json);
  } else if (typeof json === 'object' && json !== null) {
    const isList = Array.isArray(json);
    const fields = isList ? [] : Object.entries(json).filter(([, value]) => value !== undefined);
    const parts = isList ? (json as readonly Json[]) : fields.flat();
    add(`${isList ? '[' : '{'}${parts.length} `);
    for (const part of parts) addJson(part, add);
  } else {
    add(`${json},`);
  }
}
