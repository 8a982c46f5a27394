import { createHash } from 'node:crypto';
import { redactText } from '../redact.ts';

/** Fields that only their provider can read; how long they are is all a person wants. */
const sealed = new Set(['encrypted_content', 'signature', 'thought_signature']);

/** The same fields within text, quotes escaped or not. */
const sealedField = /(\\?"(?:encrypted_content|(?:thought_)?signature)\\?"\s{0,4}:\s{0,4}\\?")([^"\\]+)(\\?"|$)/g;
const dataField = /(\\?"data\\?"\s{0,4}:\s{0,4}\\?")([\w+/=-]{16,})/g;

/**
 * A JSON value as it may lie on a disk: secrets and what looks like a key masked, the bytes of images and sealed data replaced
 * by their length and a digest.
 */
export function sanitizeDump(value: unknown, secrets: readonly string[]): unknown {
  if (typeof value === 'string') return redactText(withoutSeals(withoutBytes(value)), secrets);
  if (Array.isArray(value)) return value.map((item) => sanitizeDump(item, secrets));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, item]) => [
      redactText(key, secrets),
      isSealed(key, value) && typeof item === 'string' ? placeholder('sealed', item) : sanitizeDump(item, secrets),
    ]),
  );
}

function withoutBytes(text: string): string {
  return text.replaceAll(/data:([\w.+/-]{1,80});base64,([\w+/=-]{64,})/g, (_all, type: string, bytes: string) =>
    placeholder(`data:${type}`, bytes),
  );
}

/** Redacted thinking, and encrypted reasoning as routers hand it on, keep what they are in `data`. */
function isSealed(key: string, holder: object): boolean {
  const type = 'type' in holder ? holder.type : undefined;
  return sealed.has(key) || (key === 'data' && (type === 'redacted_thinking' || type === 'reasoning.encrypted'));
}

/** Bodies of answers are kept as they came, as text with JSON in it, which may break off within a sealed field. */
function withoutSeals(text: string): string {
  const inFields = text.replaceAll(
    sealedField,
    (_all, head: string, content: string, end: string) => head + placeholder('sealed', content) + end,
  );
  return /redacted_thinking|reasoning\.encrypted/.test(inFields)
    ? inFields.replaceAll(dataField, (_all, head: string, content: string) => head + placeholder('sealed', content))
    : inFields;
}

function placeholder(what: string, content: string): string {
  const digest = createHash('sha256').update(content).digest('hex').slice(0, 16);
  return `[${what}, ${content.length} characters, sha256 ${digest}]`;
}
