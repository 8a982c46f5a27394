const hash = /^[0-9a-f]{64}$/;

/** Whether this is a seal or a digest: 64 hexadecimal digits in small letters. */
export function isSha256Hex(value: unknown): value is string {
  return typeof value === 'string' && hash.test(value);
}
