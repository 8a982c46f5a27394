import type { SQLOutputValue } from 'node:sqlite';

/** A seal as the database holds it. */
export function sealBytes(seal: string): Uint8Array {
  return Buffer.from(seal, 'hex');
}

/** A seal as everybody else holds it; nothing where there is none. */
export function sealText(column: SQLOutputValue | undefined): string | undefined {
  return column instanceof Uint8Array ? Buffer.from(column).toString('hex') : undefined;
}
