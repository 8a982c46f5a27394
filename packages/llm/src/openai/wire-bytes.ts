/** A request body with one long list of items that never change. */
type Body<Key extends string> = Readonly<Record<Key, readonly object[]>>;

/** The beginning of a body, up to the last item. */
interface Written {
  readonly head: string;
  readonly items: object[];
  /** Where each item ends in `bytes`, which may be longer. */
  readonly ends: number[];
  bytes: Buffer;
}

/**
 * Writes requests as JSON in UTF-8: the bytes of `JSON.stringify` with the list last. A list that begins with the same items as
 * one before is written from there on, so that one more step costs what is new in it, besides one copy of the bytes.
 */
export function wireBytes<Key extends string>(list: Key): (request: Body<Key>) => Uint8Array {
  /** By the first item, which lists of one conversation share: several take turns. */
  const begun = new WeakMap<object, Written>();
  return (request) => {
    const [first] = request[list];
    const rest = JSON.stringify({ ...request, [list]: undefined }).slice(0, -1);
    const head = `${rest}${rest === '{' ? '' : ','}"${list}":[`;
    const known = first && begun.get(first);
    const written = known?.head === head ? known : { head, items: [], ends: [], bytes: Buffer.from(head) };
    if (first) begun.set(first, written);
    writeOn(written, request[list]);
    // A copy: the next request may be written while this one is still under way.
    return Buffer.concat([written.bytes.subarray(0, endOf(written)), Buffer.from(']}')]);
  };
}

function endOf({ head, ends }: Written): number {
  return ends.at(-1) ?? Buffer.byteLength(head);
}

/** Keeps the items that both lists begin with, and writes the others after them. */
function writeOn(written: Written, list: readonly object[]): void {
  const { items, ends } = written;
  const differing = items.findIndex((item, index) => item !== list[index]);
  if (differing !== -1) {
    items.length = differing;
    ends.length = differing;
  }
  for (const item of list.slice(items.length)) {
    const from = endOf(written);
    const text = `${items.length === 0 ? '' : ','}${JSON.stringify(item)}`;
    const end = from + Buffer.byteLength(text);
    if (end > written.bytes.length) written.bytes = grown(written.bytes, end);
    written.bytes.write(text, from);
    items.push(item);
    ends.push(end);
  }
}

/** Twice what is needed, so that a list is copied seldom however long it becomes. */
function grown(bytes: Buffer, needed: number): Buffer {
  const larger = Buffer.allocUnsafeSlow(2 * needed);
  bytes.copy(larger);
  return larger;
}
