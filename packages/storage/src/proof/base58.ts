const alphabet = '123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz';

/** Writes bytes in base58 as Bitcoin does. */
export function toBase58(bytes: Uint8Array): string {
  let rest = bytes.reduce((number, byte) => number * 256n + BigInt(byte), 0n);
  let digits = '';
  for (; rest > 0n; rest /= 58n) digits = (alphabet[Number(rest % 58n)] ?? '') + digits;
  const zeros = bytes.findIndex((byte) => byte !== 0);
  return '1'.repeat(zeros === -1 ? bytes.length : zeros) + digits;
}

/** Reads base58; nothing when it is none. */
export function fromBase58(text: string): Uint8Array | undefined {
  const digits = text.split('').map((digit) => alphabet.indexOf(digit));
  if (digits.includes(-1)) return undefined;
  let rest = digits.reduce((number, digit) => number * 58n + BigInt(digit), 0n);
  const bytes: number[] = [];
  for (; rest > 0n; rest /= 256n) bytes.unshift(Number(rest % 256n));
  const zeros = digits.findIndex((digit) => digit !== 0);
  return Uint8Array.from([...Array<number>(zeros === -1 ? digits.length : zeros).fill(0), ...bytes]);
}
