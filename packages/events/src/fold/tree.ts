import type { Json } from '../json.ts';

/** The parent of events that start a tree: the place before every event. No event can be found under this id. */
export const root = '__root__';

/** The place of one event in the log and in the tree. */
export interface Link {
  readonly seq: number;
  /** Empty when the event has none: nothing can follow it in the tree then. */
  readonly id: string;
  readonly parentId: string | undefined;
  /** Whether appending it makes it the head. */
  readonly movesHead: boolean;
  /** Where it moves the head without being it. */
  readonly movesTo?: string | undefined;
}

/** What is needed to find the head again in a log. */
export interface HeadJson {
  readonly id: string;
  readonly before: number;
  readonly tips: readonly string[];
  readonly isTipLast: boolean;
}

/**
 * Follows the head of the event tree as a log grows; it remembers the tips of the branch, not the log. A parent is the last event before with
 * this id; no parent means the event before, whichever it is; an unknown parent means none.
 *
 * @see software-agent-sdk event tree (parents there are looked up in the whole log, so that a later event may change the
 * past; here a prefix of a log always means the same)
 */
export class Head {
  #id = root;
  /** The head is the last event named `#id` with a seq below this. */
  #before = 0;
  /** The head and the side leaves hanging from it: a child of any of them extends the branch. */
  #tips = new Set([root]);
  /** Whether the last event is a tip: what comes without a parent follows it. */
  #isTipLast = true;

  get id(): string {
    return this.#id;
  }

  /** Takes in the next event; true when the branch as it was, plus this event if it moves the head, is still the branch. */
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

  /** Whether the head is the event of this link, or would be if no later one had its name. */
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

/** Whether an event can be found under this id. */
export function isAddressable(id: string): boolean {
  return id !== '' && id !== root;
}

/** The seqs of the events from the root to `head`, given every link of a log up to it, oldest first. */
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
