import { createHash } from 'node:crypto';
import { masked } from '../redact.ts';

/** Fields that only their provider can read; how long they are is all a person wants. */
const sealed = new Set(['encrypted_content', 'signature', 'thought_signature']);

/**
 * A JSON value as it may lie on a disk: secrets and what looks like a key masked, the bytes of images and sealed data replaced
 * by their length and a digest.
 */
export function dumpable(value: unknown, secrets: readonly string[]): unknown {
  if (typeof value === 'string') return masked(withoutBytes(value), secrets);
  if (Array.isArray(value)) return value.map((item) => dumpable(item, secrets));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, item]) => [
      masked(key, secrets),
      sealed.has(key) && typeof item === 'string' ? told('sealed', item) : dumpable(item, secrets),
    ]),
  );
}

function withoutBytes(text: string): string {
  return text.replaceAll(/data:([\w.+/-]{1,80});base64,([\w+/=-]{64,})/g, (_all, type: string, bytes: string) =>
    told(`data:${type}`, bytes),
  );
}

function told(what: string, content: string): string {
  const digest = createHash('sha256').update(content).digest('hex').slice(0, 16);
  return `[${what}, ${content.length} characters, sha256 ${digest}]`;
}
