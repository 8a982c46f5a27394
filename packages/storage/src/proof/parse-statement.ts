import type { Statement } from '../contract/statement.ts';
import { isSha256Hex } from './hash-chain.ts';

const isText = (value: unknown): boolean => typeof value === 'string';
const isCount = (value: unknown): boolean => Number.isSafeInteger(value) && Number(value) >= 0;

const signed = { seq: isCount, signer: isText, at: isCount, signature: isText };
const shapes: Readonly<Record<string, Readonly<Record<string, (value: unknown) => boolean>>>> = {
  checkpoint: { ...signed, seal: isSha256Hex },
  tombstone: { ...signed, was: isSha256Hex, is: isSha256Hex, reason: isText },
  cut: { seq: isCount, end: isCount, at: isCount, cause: (value) => value === 'found' || value === 'repaired' },
  unsealed: {
    seq: isCount,
    end: isCount,
    at: isCount,
    cause: (value) => ['found', 'imported', 'accepted'].includes(String(value)),
  },
};

/** Parses a stored or received statement; returns `undefined` for anything else. Unknown fields are dropped. */
export function parseStatement(json: unknown): Statement | undefined {
  if (typeof json !== 'object' || json === null) return undefined;
  const record = json as Readonly<Record<string, unknown>>;
  const kind = String(record['kind']);
  const shape = Object.hasOwn(shapes, kind) ? shapes[kind] : undefined;
  if (!shape || !Object.entries(shape).every(([name, accepts]) => accepts(record[name]))) return undefined;
  const fields = Object.keys(shape).map((name) => [name, record[name]]);
  return { kind, ...Object.fromEntries(fields) } as Statement;
}
