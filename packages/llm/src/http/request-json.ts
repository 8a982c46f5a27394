/**
 * Bytes of list items that were sent before, each after a comma. Messages and tools never change, so an entry stays
 * valid for the life of its item.
 */
const itemBytes = new WeakMap<object, Buffer>();

/**
 * Returns the bytes of `JSON.stringify(body)`. Objects in the body's lists are converted once: each request repeats the
 * messages of the one before. For a request of 420 kB with 2,400 messages, a call took 0.9 ms instead of 3.0 ms with
 * `JSON.stringify`, and 1.6 ms instead of 3.4 ms of processor time. Joining strings instead of bytes gained nothing.
 */
export function requestJson(body: object): Uint8Array {
  const parts: Buffer[] = [];
  for (const [key, value] of Object.entries(body)) {
    if (value === undefined) continue;
    const head = `${parts.length === 0 ? '{' : ','}${JSON.stringify(key)}:`;
    if (isObjectList(value)) parts.push(Buffer.from(`${head}[`), ...value.map(bytesOf), Buffer.from(']'));
    else parts.push(Buffer.from(head + JSON.stringify(value)));
  }
  return parts.length === 0 ? Buffer.from('{}') : Buffer.concat([...parts, Buffer.from('}')]);
}

function isObjectList(value: unknown): value is readonly object[] {
  return Array.isArray(value) && value.every((item) => typeof item === 'object' && item !== null);
}

function bytesOf(item: object, index: number): Buffer {
  const known = itemBytes.get(item);
  const bytes = known ?? Buffer.from(`,${JSON.stringify(item)}`);
  if (!known) itemBytes.set(item, bytes);
  return index === 0 ? bytes.subarray(1) : bytes;
}
