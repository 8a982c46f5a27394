import type { EventCodec } from '../codec.ts';
import type { BaseEvent } from '../define-event.ts';
import { movedLeaf } from '../facts/leaf.ts';
import type { Json } from '../json.ts';
import { isOpaque } from '../opaque-event.ts';
import { branchOf, Head, isAddressable, root, type Link } from './tree.ts';
import type { Projection, ViewOf } from './projection.ts';
import { readSnapshot, writeSnapshot, type Projections } from './timeline-snapshot.ts';

/** Stored event of a log: its position, its tree links, and its exact text. */
export interface LogEntry {
  readonly seq: number;
  readonly id: string;
  readonly kind: string;
  readonly parentId: string | undefined;
  readonly text: string;
}

/** Reads a log from `from` (inclusive), oldest first. Called again if the driver must fold again. */
export type ReadEntries = (from: number) => AsyncIterable<LogEntry> | Iterable<LogEntry>;

/** Most links that are kept of a log while it is folded, in case that it has branches: 30 MB. */
const maxLinks = 200_000;

type Position = Omit<LogEntry, 'text' | 'kind'>;

/** Options of {@link Timeline}. */
export interface TimelineOptions<Set extends Projections> {
  readonly codec: EventCodec;
  readonly projections: Set;
}

/**
 * Folds the events of one conversation through several projections, and continues as the log grows.
 *
 * Each event is applied once. Branch projections are folded again only if the head moves to another branch. Parents are
 * looked up among earlier events, so the fold of a prefix never depends on later events.
 */
export class Timeline<Set extends Projections> {
  readonly #codec: EventCodec;
  readonly #projections: Set;
  // Listed once: looking for them at each event took a tenth of the fold of a log.
  readonly #byScope: Readonly<
    Partial<Record<'log' | 'branch', readonly (readonly [string, Projection<unknown, unknown>])[]>>
  >;
  #states = new Map<string, unknown>();
  #next = 0;
  /** Id of the last folded event in the log. */
  #last = '';
  /** Seq of the last event of a restored snapshot, until the log confirms the snapshot. */
  #unconfirmed: number | undefined;
  #head = new Head();
  #isStale = false;

  constructor({ codec, projections }: TimelineOptions<Set>) {
    this.#codec = codec;
    this.#projections = projections;
    this.#byScope = Object.groupBy(Object.entries(projections), ([, { scope }]) => scope);
    this.#reset(() => true);
  }

  /** Number of folded events, which is the seq of the next one. */
  get head(): number {
    return this.#next;
  }

  /** Id of the last event of the active branch; undefined for an empty branch. */
  get leafId(): string | undefined {
    return this.#head.id === root ? undefined : this.#head.id;
  }

  /** @throws {Error} if the head moved to another branch and {@link refold} has not run since. */
  read<Name extends keyof Set & string>(name: Name): ViewOf<Set[Name]> {
    const projection = this.#projections[name] as Projection<unknown, unknown>;
    if (this.#isStale && projection.scope === 'branch') throw new Error('The head moved: refold before reading.');
    return projection.read(this.#states.get(name)) as ViewOf<Set[Name]>;
  }

  /**
   * Folds the next event. Returns false if it moved the head to another branch: call {@link refold} before reading.
   * `id` is the id in the log, for events with unreadable text.
   *
   * @throws {RangeError} if `seq` is not the next one.
   */
  push(event: BaseEvent, seq: number, id: string = event.id): boolean {
    const kind = isOpaque(event) ? event.wireKind : event.kind;
    return this.#fold(event, { seq, id, parentId: event.parent_id, movesHead: this.#movesHead(kind, id) });
  }

  /**
   * Folds the remaining events of a log up to `to` (exclusive). After {@link restore} it folds all events if the
   * snapshot is not one of this log.
   */
  async load(read: ReadEntries, to: number = Infinity): Promise<void> {
    const links: Position[] = [];
    for await (const { seq, id, kind, parentId, text } of read(this.#unconfirmed ?? this.#next)) {
      if (this.#unconfirmed !== undefined) {
        if (seq !== this.#unconfirmed || id !== this.#last) break;
        this.#unconfirmed = undefined;
        continue;
      }
      if (seq >= to) break;
      if (seq === links.length && seq < maxLinks) links.push({ seq, id, parentId });
      this.#fold(this.#codec.read(text), { seq, id, parentId, movesHead: this.#movesHead(kind, id) });
    }
    if (this.#unconfirmed !== undefined) {
      this.#restart();
      return this.load(read, to);
    }
    if (this.#isStale) await this.#refold(read, links);
  }

  /** Folds the branch projections again along the active branch. Cost: one pass over the ids, one over the branch. */
  async refold(read: ReadEntries): Promise<void> {
    await this.#refold(read, []);
  }

  /** Adds the missing links: those of a log that was just folded from its start are not read again. */
  async #refold(read: ReadEntries, links: Position[]): Promise<void> {
    this.#isStale = true;
    const end = this.#next;
    for await (const { seq, id, parentId } of links.length < end ? read(links.length) : []) {
      if (seq >= end) break;
      links.push({ seq, id, parentId });
    }
    const branch = branchOf(links, this.#head);
    this.#reset(({ scope }) => scope === 'branch');
    for await (const entry of read(0)) {
      if (entry.seq >= end) break;
      this.#applyOnBranch(entry, branch);
    }
    if (this.#next !== end) await this.#refold(read, links);
    this.#isStale = false;
  }

  /** As {@link refold}, without a wait, for a log whose folded entries are all in memory. */
  refoldEntries(entries: readonly LogEntry[]): void {
    const branch = branchOf(entries, this.#head);
    this.#reset(({ scope }) => scope === 'branch');
    for (const entry of entries) this.#applyOnBranch(entry, branch);
    this.#isStale = false;
  }

  /**
   * Returns the state of this timeline as JSON.
   *
   * @throws {Error} if the head moved to another branch and {@link refold} has not run since.
   */
  snapshot(): Json {
    if (this.#isStale) throw new Error('The head moved: refold before taking a snapshot.');
    return writeSnapshot(
      { next: this.#next, last: this.#last, head: this.#head, states: this.#states },
      this.#projections,
    );
  }

  /**
   * Continues from a snapshot. Returns false and changes nothing if the JSON is not a snapshot, is damaged, or was
   * written by other projections or versions. {@link load} then checks that it is a snapshot of the log.
   */
  restore(json: Json): boolean {
    const restored = readSnapshot(json, this.#projections);
    if (!restored) return false;
    this.#next = restored.next;
    this.#last = restored.last;
    this.#unconfirmed = restored.next > 0 ? restored.next - 1 : undefined;
    this.#head = restored.head;
    this.#states = new Map(restored.states);
    this.#isStale = false;
    return true;
  }

  #fold(event: BaseEvent, link: Omit<Link, 'movesTo'>): boolean {
    if (link.seq !== this.#next) throw new RangeError(`Event ${link.seq} cannot follow ${this.#next - 1}.`);
    this.#next++;
    this.#last = link.id;
    if (!this.#head.follow({ ...link, movesTo: movedLeaf(event) })) this.#isStale = this.#byScope.branch !== undefined;
    this.#apply(event, link.seq, 'log');
    if (!this.#isStale) this.#apply(event, link.seq, 'branch');
    return !this.#isStale;
  }

  /** An event that cannot be referenced as a parent has no position in the tree. */
  #movesHead(kind: string, id: string): boolean {
    return isAddressable(id) && this.#codec.kind(kind)?.movesHead !== false;
  }

  #apply(event: BaseEvent, seq: number, scope: 'log' | 'branch'): void {
    for (const [name, projection] of this.#byScope[scope] ?? []) {
      const state = this.#states.get(name);
      const next = projection.apply(state, event, seq);
      if (next !== state) this.#states.set(name, next);
    }
  }

  #applyOnBranch({ seq, id, kind, text }: LogEntry, branch: ReadonlySet<number>): void {
    if (this.#movesHead(kind, id) && !branch.has(seq) && !this.#codec.kind(kind)?.isOnEveryBranch) return;
    this.#apply(this.#codec.read(text), seq, 'branch');
  }

  #restart(): void {
    this.#next = 0;
    this.#last = '';
    this.#unconfirmed = undefined;
    this.#head = new Head();
    this.#isStale = false;
    this.#reset(() => true);
  }

  #reset(which: (projection: Projection<unknown, unknown>) => boolean): void {
    for (const [name, projection] of Object.entries(this.#projections)) {
      if (which(projection)) this.#states.set(name, projection.initial());
    }
  }
}
