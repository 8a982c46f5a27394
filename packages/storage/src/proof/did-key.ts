import { createPublicKey, type KeyObject } from 'node:crypto';

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

const ed25519 = [0xed, 0x01];
const scheme = 'did:key:z';

/**
 * Names an Ed25519 public key: `did:key:z6Mk…`.
 *
 * @see https://w3c-ccg.github.io/did-key-spec/
 */
export function didOf(key: KeyObject): string {
  const { x = '' } = key.export({ format: 'jwk' });
  return `${scheme}${toBase58(Uint8Array.from([...ed25519, ...Buffer.from(x, 'base64url')]))}`;
}

/** The Ed25519 public key that a name holds; nothing when the name holds none. */
export function keyOf(did: string): KeyObject | undefined {
  const bytes = did.startsWith(scheme) && did.length < 64 ? fromBase58(did.slice(scheme.length)) : undefined;
  if (bytes?.length !== 34 || ed25519.some((byte, index) => bytes[index] !== byte)) return undefined;
  const x = Buffer.from(bytes.slice(ed25519.length)).toString('base64url');
  return createPublicKey({ key: { kty: 'OKP', crv: 'Ed25519', x }, format: 'jwk' });
}
