const alphabet = '123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz';

/** Encodes bytes in base58 with Bitcoin's alphabet. */
export function toBase58(bytes: Uint8Array): string {
  let number = bytes.reduce((sum, byte) => sum * 256n + BigInt(byte), 0n);
  let digits = '';
  for (; number > 0n; number /= 58n) digits = (alphabet[Number(number % 58n)] ?? '') + digits;
  const zeros = bytes.findIndex((byte) => byte !== 0);
  return '1'.repeat(zeros === -1 ? bytes.length : zeros) + digits;
}

/** Decodes base58; returns `undefined` for any other text. */
export function fromBase58(text: string): Uint8Array | undefined {
  const digits = text.split('').map((digit) => alphabet.indexOf(digit));
  if (digits.includes(-1)) return undefined;
  let number = digits.reduce((sum, digit) => sum * 58n + BigInt(digit), 0n);
  const bytes: number[] = [];
  for (; number > 0n; number /= 256n) bytes.unshift(Number(number % 256n));
  const zeros = digits.findIndex((digit) => digit !== 0);
  return Uint8Array.from([...Array<number>(zeros === -1 ? digits.length : zeros).fill(0), ...bytes]);
}

/** Multicodec prefix of an Ed25519 public key. */
const ed25519 = [0xed, 0x01];
const scheme = 'did:key:z';

/**
 * Returns the DID of an Ed25519 public key of 32 bytes: `did:key:z6Mk…`.
 *
 * @see https://w3c-ccg.github.io/did-key-spec/
 */
export function didKeyOf(publicKey: Uint8Array): string {
  return `${scheme}${toBase58(Uint8Array.from([...ed25519, ...publicKey]))}`;
}

/** Returns the 32 bytes of the Ed25519 public key in a DID, or `undefined` for any other text. */
export function publicKeyInDid(did: string): Uint8Array | undefined {
  const bytes = did.startsWith(scheme) && did.length < 64 ? fromBase58(did.slice(scheme.length)) : undefined;
  if (bytes?.length !== 34 || ed25519.some((byte, index) => bytes[index] !== byte)) return undefined;
  return bytes.slice(ed25519.length);
}
