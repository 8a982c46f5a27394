import {
  createCipheriv,
  createDecipheriv,
  createHash,
  createHmac,
  hkdfSync,
  randomBytes,
  timingSafeEqual,
} from 'node:crypto';

/** Encrypts and decrypts texts with one key. */
export interface Cipher {
  /** Returns a token that begins with `gAAAAA`. */
  encrypt(text: string): string;
  /** Returns the text of a token; undefined if it is malformed, changed, or of another key. */
  decrypt(token: string): string | undefined;
}

/** Options of {@link fernet}. */
export interface FernetOptions {
  /** UTC milliseconds; default `Date.now`. The time is stored in the token, in clear. */
  readonly now?: () => number;
  /** Returns random bytes; default `randomBytes`. */
  readonly random?: (size: number) => Uint8Array;
}

/** Version, time and initialization vector in front of the encrypted text, and the code after it, in bytes. */
const sizes = { version: 1, time: 8, iv: 16, code: 32 } as const;
const version = 0x80;

/** Returns whether a text has the form of a token. */
export function isToken(text: string): boolean {
  return /^gAAAA[\w-]{60,}={0,2}$/.test(text);
}

/** Returns the key that the reference derives from a passphrase: SHA-256. */
export function keyOfPassphrase(passphrase: string): Uint8Array {
  return createHash('sha256').update(passphrase, 'utf8').digest();
}

/** Returns the key of what is stored under a passphrase. It differs from the one of the tokens that clients receive. */
export function storageKeyOf(passphrase: string): Uint8Array {
  return new Uint8Array(hkdfSync('sha256', keyOfPassphrase(passphrase), '', 'varve storage', 32));
}

/**
 * Returns the cipher of the reference and its clients: AES-128-CBC with HMAC-SHA256 over the whole token. Tokens do not
 * expire.
 *
 * @param key 32 bytes: 16 to sign, 16 to encrypt.
 * @see https://github.com/fernet/spec/blob/master/Spec.md
 */
export function fernet(key: Uint8Array, { now = Date.now, random = randomBytes }: FernetOptions = {}): Cipher {
  if (key.length !== 32) throw new TypeError(`A key has 32 bytes, not ${key.length}.`);
  const [signing, encryption] = [key.subarray(0, 16), key.subarray(16)];
  const codeOf = (bytes: Uint8Array): Uint8Array => createHmac('sha256', signing).update(bytes).digest();
  return {
    encrypt(text) {
      const head = Buffer.alloc(sizes.version + sizes.time);
      head.writeUInt8(version);
      head.writeBigUInt64BE(BigInt(Math.floor(now() / 1000)), sizes.version);
      const iv = random(sizes.iv);
      const cipher = createCipheriv('aes-128-cbc', encryption, iv);
      const signed = Buffer.concat([head, iv, cipher.update(text, 'utf8'), cipher.final()]);
      const encoded = Buffer.concat([signed, codeOf(signed)]).toString('base64url');
      return encoded.padEnd(Math.ceil(encoded.length / 4) * 4, '=');
    },
    decrypt(token) {
      const bytes = Buffer.from(token, 'base64url');
      const start = sizes.version + sizes.time + sizes.iv;
      if (bytes[0] !== version || bytes.length < start + 16 + sizes.code) return undefined;
      const signed = bytes.subarray(0, -sizes.code);
      if (!timingSafeEqual(codeOf(signed), bytes.subarray(-sizes.code))) return undefined;
      try {
        const cipher = createDecipheriv('aes-128-cbc', encryption, signed.subarray(start - sizes.iv, start));
        const text = Buffer.concat([cipher.update(signed.subarray(start)), cipher.final()]);
        return new TextDecoder('utf-8', { fatal: true }).decode(text);
      } catch {
        return undefined;
      }
    },
  };
}

/** Returns a cipher that encrypts with the first of some ciphers, and decrypts what any of them has encrypted. */
export function firstOf(first: Cipher, ...others: readonly Cipher[]): Cipher {
  return {
    encrypt: (text) => first.encrypt(text),
    decrypt(token) {
      for (const cipher of [first, ...others]) {
        const text = cipher.decrypt(token);
        if (text !== undefined) return text;
      }
      return undefined;
    },
  };
}
