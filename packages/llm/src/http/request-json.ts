/** A body as JSON in UTF-8 without its last two bytes; {@link jsonPieces} returns the whole of it. */
class UnclosedJson extends Uint8Array<ArrayBuffer> {}

/** Closes the list and the body. */
const closing = Buffer.from(']}');

/** Returns the pieces of a request body in order: those of {@link jsonEncoder}, or the body itself. */
export function jsonPieces(body: string | Uint8Array): readonly (string | Uint8Array)[] {
  return body instanceof UnclosedJson ? [body, closing] : [body];
}

/** Body of an earlier request, up to the end of its last item. */
interface Encoded {
  /** The other fields of the body, up to the start of the list. */
  readonly head: string;
  readonly items: object[];
  /** Offset of the end of each item in `bytes`. */
  readonly ends: number[];
  /** Larger than its content. Bytes that were returned are never overwritten. */
  bytes: Buffer<ArrayBuffer>;
}

/**
 * Creates an encoder of request bodies as JSON, with the field `list` last. A list that continues one of an earlier
 * request is encoded from there on, and shares its memory: each request repeats the messages of the one before. A call
 * with 1.1 MB in 3,000 messages takes 1.8 ms of processor time; with a copy of the bytes of each message 5.9 ms, and
 * a call with 420 kB 0.8 ms instead of 3.0 ms with `JSON.stringify`. Items must not change.
 */
export function jsonEncoder(list: string): (body: object) => Uint8Array {
  /** By first item, which the lists of one conversation share. */
  const encodings = new WeakMap<object, Encoded>();
  return (body) => {
    const items = itemsOf(body, list);
    const [first] = items;
    const fields = JSON.stringify({ ...body, [list]: undefined }).slice(0, -1);
    const head = `${fields}${fields === '{' ? '' : ','}"${list}":[`;
    const known = first && encodings.get(first);
    const encoded = known?.head === head ? known : { head, items: [], ends: [], bytes: Buffer.from(head) };
    if (first) encodings.set(first, encoded);
    replaceItems(encoded, items);
    const { buffer, byteOffset } = encoded.bytes;
    return new UnclosedJson(buffer, byteOffset, endOf(encoded));
  };
}

function itemsOf(body: object, list: string): readonly object[] {
  const items: unknown = Object.entries(body).find(([key]) => key === list)?.[1];
  return Array.isArray(items) ? items : [];
}

function endOf({ head, ends }: Encoded): number {
  return ends.at(-1) ?? Buffer.byteLength(head);
}

/** Returns the number of items that both lists start with. */
export function sharedLength(known: readonly object[], list: readonly object[]): number {
  const end = Math.min(known.length, list.length);
  let same = 0;
  while (same < end && known[same] === list[same]) same += 1;
  return same;
}

/** Keeps the items that both lists start with, and appends the others. */
function replaceItems(encoded: Encoded, list: readonly object[]): void {
  const { items, ends } = encoded;
  const same = sharedLength(items, list);
  if (same < items.length) {
    items.length = same;
    ends.length = same;
    encoded.bytes = enlarge(encoded.bytes, endOf(encoded));
  }
  const start = endOf(encoded);
  const others = list.slice(same);
  const newEnds: number[] = [];
  let added = '';
  let end = start;
  for (const item of others) {
    const text = `${end === start && same === 0 ? '' : ','}${JSON.stringify(item)}`;
    added += text;
    end += Buffer.byteLength(text);
    newEnds.push(end);
  }
  // Once for all: a long list that is new enlarged them thirty times, and its items took longer to write one by one.
  if (end > encoded.bytes.length) encoded.bytes = enlarge(encoded.bytes, end);
  encoded.bytes.write(added, start);
  // After the write: an item without JSON throws, and no later request may count on bytes that were not written.
  for (const item of others) items.push(item);
  for (const each of newEnds) ends.push(each);
}

/** Returns a copy with more room than needed, so that a list of any length is rarely copied. */
function enlarge(bytes: Buffer, needed: number): Buffer<ArrayBuffer> {
  const copy = Buffer.allocUnsafeSlow(Math.ceil(needed * 1.25) + 4096);
  bytes.copy(copy);
  return copy;
}
