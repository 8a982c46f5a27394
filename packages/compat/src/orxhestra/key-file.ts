import {
  createDecipheriv,
  createHmac,
  createPrivateKey,
  createPublicKey,
  pbkdf2Sync,
  timingSafeEqual,
} from 'node:crypto';
import { didKeyOf, parseJson } from '@varve/text';
import { InteropError } from '@varve/interop';
import { fieldsOf, stringOf } from '@varve/interop/records';

/**
 * Returns the 32 bytes of the private key in a key file of orxhestra, which `ed25519Signer` of `@varve/storage`
 * takes. Nothing is written, whereas orxhestra replaces a file that it cannot read by a new key.
 *
 * @throws {InteropError} `invalid` for another file, a wrong password, or a key that is not that of its DID.
 */
export function readKeyFile(text: string, password = ''): Uint8Array {
  const { did_key: did, algorithm, ...fields } = fieldsOf(parseJson(text)) ?? {};
  const plain = stringOf(fields['private_key_b64']);
  const encrypted = stringOf(fields['private_key_encrypted']);
  const seed = plain === undefined ? seedOf(decrypted(encrypted ?? '', password)) : Buffer.from(plain, 'base64');
  if ((algorithm ?? 'Ed25519') !== 'Ed25519' || seed?.length !== 32 || didOf(seed) !== did) {
    throw new InteropError('invalid', 'The key file has no Ed25519 key of its DID, or the password is wrong.');
  }
  return new Uint8Array(seed);
}

/** Parameters of `fernet-pbkdf2-sha256`: the salt is the same in every file. */
const kdf = { salt: 'orxhestra-signing-key-v1', rounds: 480_000 };

/** Returns the content of a Fernet token; empty if it was changed. @see https://github.com/fernet/spec */
function decrypted(token: string, password: string): Buffer {
  const bytes = Buffer.from(token, 'base64url');
  if (bytes.length < 73 || bytes[0] !== 0x80) return Buffer.alloc(0);
  const key = pbkdf2Sync(password, kdf.salt, kdf.rounds, 32, 'sha256');
  const mac = createHmac('sha256', key.subarray(0, 16)).update(bytes.subarray(0, -32)).digest();
  if (!timingSafeEqual(mac, bytes.subarray(-32))) return Buffer.alloc(0);
  const cipher = createDecipheriv('aes-128-cbc', key.subarray(16), bytes.subarray(9, 25));
  return Buffer.concat([cipher.update(bytes.subarray(25, -32)), cipher.final()]);
}

/** Returns the bytes of a key, which may be encoded once more. */
function seedOf(content: Buffer): Buffer {
  return content.length === 32 ? content : Buffer.from(content.toString('latin1'), 'base64');
}

function didOf(seed: Uint8Array): string {
  const header = Buffer.from('302e020100300506032b657004220420', 'hex');
  const key = createPrivateKey({ key: Buffer.concat([header, seed]), format: 'der', type: 'pkcs8' });
  const { x = '' } = createPublicKey(key).export({ format: 'jwk' });
  return didKeyOf(Buffer.from(x, 'base64url'));
}
