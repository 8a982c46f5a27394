/** Largest image in bytes: providers refuse larger ones. */
export const maxImageBytes = 5 * 1024 * 1024;

/** Bytes with which files of a type begin; a dot is any byte. */
const signatures: readonly (readonly [type: string, start: RegExp])[] = [
  ['image/png', /^\u0089PNG\r\n/],
  ['image/jpeg', /^\u00FF\u00D8\u00FF/],
  ['image/gif', /^GIF8/],
  ['image/webp', /^RIFF.{4}WEBP/s],
];

/** Returns the type of an image; undefined for other bytes. */
export function imageTypeOf(bytes: Buffer): string | undefined {
  const start = bytes.subarray(0, 16).toString('latin1');
  return signatures.find(([, signature]) => signature.test(start))?.[0];
}
