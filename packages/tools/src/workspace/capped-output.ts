/** Collected bytes, of which only both ends are kept. */
export interface CappedOutput {
  readonly push: (bytes: Buffer) => void;
  /** Returns the bytes as UTF-8, with a note in place of omitted bytes. */
  readonly text: () => string;
}

/** Returns a collector that keeps at most about `limit` bytes: the first half of them and the last half. */
export function cappedOutput(limit: number): CappedOutput {
  const half = Math.ceil(limit / 2);
  const head: Buffer[] = [];
  const tail: Buffer[] = [];
  let headBytes = 0;
  let tailBytes = 0;
  let omitted = 0;
  return {
    push(bytes) {
      const first = bytes.subarray(0, half - headBytes);
      const rest = bytes.subarray(first.length);
      if (first.length > 0) head.push(first);
      headBytes += first.length;
      if (rest.length === 0) return;
      tail.push(rest);
      tailBytes += rest.length;
      let oldest = tail[0];
      while (oldest !== undefined && tailBytes - oldest.length >= half) {
        tail.shift();
        tailBytes -= oldest.length;
        omitted += oldest.length;
        oldest = tail[0];
      }
    },
    text() {
      const last = Buffer.concat(tail);
      const over = Math.max(0, last.length - half);
      const left = omitted + over;
      if (left === 0) return Buffer.concat([...head, last]).toString();
      return `${Buffer.concat(head).toString()}\n[${left} bytes left out]\n${last.subarray(over).toString()}`;
    },
  };
}
