import type { EventCodec } from '../codec.ts';
import type { BaseEvent } from '../define-event.ts';
import { movedLeaf } from '../facts/leaf.ts';
import type { Json } from '../json.ts';
import { isOpaque } from '../opaque-event.ts';
import { branchOf, Head, isAddressable, root, type Link } from './tree.ts';
import type { Projection, ViewOf } from './projection.ts';
import { readSnapshot, writeSnapshot, type Projections } from './timeline-snapshot.ts';

/** One stored event as a log hands it out: its place, its tree links, and its exact text. */
export interface LogEntry {
  readonly seq: number;
  readonly id: string;
  readonly kind: string;
  readonly parentId: string | undefined;
  readonly text: string;
}

/** Reads a log from `from` (inclusive), oldest first. Called again when the driver must fold again. */
export type ReadEntries = (from: number) => AsyncIterable<LogEntry> | Iterable<LogEntry>;

/** What a timeline folds, and how it reads events. */
export interface TimelineOptions<Set extends Projections> {
  readonly codec: EventCodec;
  readonly projections: Set;
}

/**
 * Folds the events of one conversation through several projections at once, and keeps folding as the log grows.
 *
 * Each event is applied once. Only when the head moves to another branch are the branch projections folded again.
 * Parents are looked up among earlier events, so the fold of a prefix never depends on what comes after it.
 */
export class Timeline<Set extends Projections> {
  readonly #codec: EventCodec;
  readonly #projections: Set;
  #states = new Map<string, unknown>();
  #next = 0;
  /** The id of the last event that was folded, as the log has it. */
  #last = '';
  /** The seq of that event in a restored snapshot, until the log has shown that it is the one which that is of. */
  #unconfirmed: number | undefined;
  #head = new Head();
  #isStale = false;

  constructor({ codec, projections }: TimelineOptions<Set>) {
    this.#codec = codec;
    this.#projections = projections;
    this.#reset(() => true);
  }

  /** How many events were folded: the seq of the next one. */
  get head(): number {
    return this.#next;
  }

  /** The id of the last event of the active branch; undefined when the branch is empty. */
  get leafId(): string | undefined {
    return this.#head.id === root ? undefined : this.#head.id;
  }

  /** @throws {Error} when the head moved to another branch and {@link refold} has not run since. */
  read<Name extends keyof Set & string>(name: Name): ViewOf<Set[Name]> {
    const projection = this.#projections[name] as Projection<unknown, unknown>;
    if (this.#isStale && projection.scope === 'branch') throw new Error('The head moved: refold before reading.');
    return projection.read(this.#states.get(name)) as ViewOf<Set[Name]>;
  }

  /**
   * Folds the next event. Returns false when it moved the head to another branch: call {@link refold} before reading.
   * `id` is the id in the log, for events whose text could not be read.
   *
   * @throws {RangeError} when `seq` is not the next one.
   */
  push(event: BaseEvent, seq: number, id: string = event.id): boolean {
    const kind = isOpaque(event) ? event.wireKind : event.kind;
    return this.#fold(event, { seq, id, parentId: event.parent_id, movesHead: this.#movesHead(kind, id) });
  }

  /**
   * Folds every event of a log that this timeline has not seen, up to and without seq `to`. After {@link restore} that is
   * all of them when the log is not the one that the snapshot was taken of.
   */
  async load(read: ReadEntries, to: number = Infinity): Promise<void> {
    for await (const { seq, id, kind, parentId, text } of read(this.#unconfirmed ?? this.#next)) {
      if (this.#unconfirmed !== undefined) {
        if (seq !== this.#unconfirmed || id !== this.#last) break;
        this.#unconfirmed = undefined;
        continue;
      }
      if (seq >= to) break;
      this.#fold(this.#codec.read(text), { seq, id, parentId, movesHead: this.#movesHead(kind, id) });
    }
    if (this.#unconfirmed !== undefined) {
      this.#restart();
      return this.load(read, to);
    }
    if (this.#isStale) await this.refold(read);
  }

  /** Folds the branch projections again along the active branch. Cost: one pass over ids, one over the branch. */
  async refold(read: ReadEntries): Promise<void> {
    this.#isStale = true;
    const end = this.#next;
    const links: Omit<LogEntry, 'text' | 'kind'>[] = [];
    for await (const { seq, id, parentId } of read(0)) {
      if (seq >= end) break;
      links.push({ seq, id, parentId });
    }
    const branch = branchOf(links, this.#head);
    this.#reset(({ scope }) => scope === 'branch');
    for await (const { seq, id, kind, text } of read(0)) {
      if (seq >= end) break;
      if (this.#movesHead(kind, id) && !branch.has(seq) && !this.#codec.kind(kind)?.isOnEveryBranch) continue;
      this.#apply(this.#codec.read(text), seq, 'branch');
    }
    if (this.#next !== end) await this.refold(read);
    this.#isStale = false;
  }

  /**
   * Everything needed to go on from here, as JSON.
   *
   * @throws {Error} when the head moved to another branch and {@link refold} has not run since.
   */
  snapshot(): Json {
    if (this.#isStale) throw new Error('The head moved: refold before taking a snapshot.');
    return writeSnapshot(
      { next: this.#next, last: this.#last, head: this.#head, states: this.#states },
      this.#projections,
    );
  }

  /**
   * Goes on from a snapshot. Returns false, and changes nothing, when it is none, is damaged, or was made by other
   * projections or versions. That it is one of this log shows when {@link load} reads that.
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
    if (!this.#head.follow({ ...link, movesTo: movedLeaf(event) })) this.#isStale = true;
    this.#apply(event, link.seq, 'log');
    if (!this.#isStale) this.#apply(event, link.seq, 'branch');
    return !this.#isStale;
  }

  /** An event that nothing can name as its parent has no place in the tree. */
  #movesHead(kind: string, id: string): boolean {
    return isAddressable(id) && this.#codec.kind(kind)?.movesHead !== false;
  }

  #apply(event: BaseEvent, seq: number, scope: 'log' | 'branch'): void {
    for (const [name, projection] of Object.entries(this.#projections)) {
      if (projection.scope === scope) this.#states.set(name, projection.apply(this.#states.get(name), event, seq));
    }
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
