import { createHash } from 'node:crypto';

/**
 * Reports whether a person trusts content that executes something, by its digest: hex SHA-256 over its kind and exact
 * bytes. A change of one byte is another digest.
 */
export type TrustPredicate = (digest: string) => boolean | Promise<boolean>;

/** Trusts nothing. */
export const trustNothing: TrustPredicate = () => false;

/** Returns the digest of one file: hex SHA-256. */
export function fileDigest(content: Uint8Array): string {
  return createHash('sha256').update(content).digest('hex');
}

/** Returns the digest of content that executes something, over its kind and its files by their relative paths. */
export function contentDigest(kind: 'hooks' | 'skill' | 'agent', files: Readonly<Record<string, string>>): string {
  const sorted = Object.entries(files).toSorted(([left], [right]) => (left < right ? -1 : 1));
  return createHash('sha256')
    .update(JSON.stringify([`varve ${kind}`, sorted]))
    .digest('hex');
}
