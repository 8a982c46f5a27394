/** Returns the id of a trace: that of a UUID is the UUID itself. */
export function traceIdOf(eventId: string): string {
  const hex = eventId.replaceAll('-', '').toLowerCase();
  return /^(?!0+$)[0-9a-f]{32}$/.test(hex) ? hex : `${fnv1a(`${eventId}/1`)}${fnv1a(eventId)}`;
}

/** Returns the id of the span of an event; `part` distinguishes several spans of one. */
export function spanIdOf(eventId: string, part = ''): string {
  return fnv1a(eventId + part);
}

/** Returns the 64-bit FNV-1a hash as 16 hexadecimal digits, of which at least one is not 0. @see RFC 9923 */
function fnv1a(text: string): string {
  let hash = 0xcbf29ce484222325n;
  for (const byte of new TextEncoder().encode(text)) {
    hash = ((hash ^ BigInt(byte)) * 0x100000001b3n) & 0xffffffffffffffffn;
  }
  return (hash === 0n ? 1n : hash).toString(16).padStart(16, '0');
}
