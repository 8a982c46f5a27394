/** A request body with one long list of items that never change. */
type Body<Key extends string> = Readonly<Record<Key, readonly object[]>>;

/** A body up to the end of its last item. */
interface Written {
  readonly head: string;
  readonly items: object[];
  /** Where each item ends in `bytes`. */
  readonly ends: number[];
  /** What was handed out of it is never written over; longer than what is in it. */
  bytes: Buffer;
}

/** What every body ends with: it closes the list and the body. */
export const bodyEnd = Buffer.from(']}');

/**
 * Writes requests as JSON in UTF-8: the bytes of `JSON.stringify` with the list last, up to {@link bodyEnd}. A list that goes on
 * from one before is written from there on, and the bytes are shared with it, so that one more step costs what is new in it.
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
    return written.bytes.subarray(0, endOf(written));
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
    written.bytes = roomier(written.bytes, endOf(written));
  }
  for (const item of list.slice(items.length)) {
    const from = endOf(written);
    const text = `${items.length === 0 ? '' : ','}${JSON.stringify(item)}`;
    const end = from + Buffer.byteLength(text);
    if (end > written.bytes.length) written.bytes = roomier(written.bytes, end);
    written.bytes.write(text, from);
    items.push(item);
    ends.push(end);
  }
}

/** A copy with room for more than is needed, so that a list is copied seldom however long it becomes. */
function roomier(bytes: Buffer, needed: number): Buffer {
  const copy = Buffer.allocUnsafeSlow(Math.ceil(needed * 1.25) + 16_384);
  bytes.copy(copy);
  return copy;
}
