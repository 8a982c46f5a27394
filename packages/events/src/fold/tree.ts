import type { Json } from '../json.ts';

/** Parent of events that start a tree: the position before every event. No event is found by this id. */
export const root = '__root__';

/** Position of an event in the log and in the tree. */
export interface Link {
  readonly seq: number;
  /** Empty if the event has no id: it cannot have children in the tree. */
  readonly id: string;
  readonly parentId: string | undefined;
  /** True if the event becomes the head. */
  readonly movesHead: boolean;
  /** New head, if the event moves the head without becoming it. */
  readonly movesTo?: string | undefined;
}

/** Serialized {@link Head}. */
export interface HeadJson {
  readonly id: string;
  readonly before: number;
  readonly tips: readonly string[];
  readonly isTipLast: boolean;
}

/**
 * Follows the head of the event tree as a log grows. It stores the tips of the branch, not the log. A parent id refers
 * to the last earlier event with that id; without one, the parent is the previous event; an unknown id means no parent.
 *
 * @see software-agent-sdk event tree, which looks up parents in the whole log, so that a later event may change the
 * past; here the meaning of a prefix never changes
 */
export class Head {
  #id = root;
  /** The head is the last event with the id `#id` and a seq below this. */
  #before = 0;
  /** The head and its children that do not move it: a child of any of them extends the branch. */
  #tips = new Set([root]);
  /** True if the last event is a tip: an event without a parent follows it. */
  #isTipLast = true;

  get id(): string {
    return this.#id;
  }

  /** Processes the next event. Returns false if it moved the head to another branch. */
  follow({ seq, id, parentId, movesHead, movesTo }: Link): boolean {
    const extendsBranch = parentId === undefined ? this.#isTipLast : this.#tips.has(parentId);
    if (movesHead) {
      this.#moveTo(id, seq + 1);
      this.#isTipLast = true;
      return extendsBranch;
    }
    this.#isTipLast = extendsBranch;
    if (extendsBranch && isAddressable(id)) this.#tips.add(id);
    else if (id !== root) this.#tips.delete(id);
    if (movesTo === undefined || (movesTo === this.#id && this.#tips.has(movesTo))) return true;
    this.#moveTo(movesTo, seq);
    this.#isTipLast = false;
    return false;
  }

  /** Returns true if the link is the head, or an earlier event with the id of the head. */
  isAt({ seq, id }: Pick<Link, 'seq' | 'id'>): boolean {
    return id === this.#id && seq < this.#before;
  }

  toJson(): Json {
    return { id: this.#id, before: this.#before, tips: [...this.#tips], isTipLast: this.#isTipLast };
  }

  static fromJson({ id, before, tips, isTipLast }: HeadJson): Head {
    const head = new Head();
    head.#id = id;
    head.#before = before;
    head.#tips = new Set(tips);
    head.#isTipLast = isTipLast;
    return head;
  }

  #moveTo(id: string, before: number): void {
    this.#id = id;
    this.#before = before;
    this.#tips = new Set([id]);
  }
}

/** Returns true if an event can be referenced by this id. */
export function isAddressable(id: string): boolean {
  return id !== '' && id !== root;
}

/** Returns the seqs of the events from the root to `head`, given every link of the log up to it, oldest first. */
export function branchOf(links: readonly Pick<Link, 'seq' | 'id' | 'parentId'>[], head: Head): ReadonlySet<number> {
  const parents: number[] = [];
  const seqs = new Map<string, number>();
  let leaf = -1;
  for (const { seq, id, parentId } of links) {
    parents.push(parentId === undefined ? seq - 1 : (seqs.get(parentId) ?? -1));
    if (isAddressable(id)) seqs.set(id, seq);
    if (head.isAt({ seq, id })) leaf = seq;
  }
  const branch = new Set<number>();
  for (let seq = head.id === root ? -1 : leaf; seq >= 0; seq = parents[seq] ?? -1) branch.add(seq);
  return branch;
}
