import { createHash } from 'node:crypto';
import { redactText } from '../../redact.ts';

/** Encrypted fields: a person needs only their length. */
const encryptedFields = new Set(['encrypted_content', 'signature', 'thought_signature']);

/** The same fields within text, quotes escaped or not. */
const encryptedField = /(\\?"(?:encrypted_content|(?:thought_)?signature)\\?"\s{0,4}:\s{0,4}\\?")([^"\\]+)(\\?"|$)/g;
const dataField = /(\\?"data\\?"\s{0,4}:\s{0,4}\\?")([\w+/=-]{16,})/g;

/**
 * Returns a copy of a JSON value that may be written to disk: secrets and everything that looks like a key are masked,
 * the bytes of images and encrypted data are replaced by their length and a digest.
 */
export function sanitizeDump(value: unknown, secrets: readonly string[]): unknown {
  if (typeof value === 'string') return redactText(withoutEncryptedData(withoutBytes(value)), secrets);
  if (Array.isArray(value)) return value.map((item) => sanitizeDump(item, secrets));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, item]) => [
      redactText(key, secrets),
      isEncrypted(key, value) && typeof item === 'string' ? placeholder('sealed', item) : sanitizeDump(item, secrets),
    ]),
  );
}

function withoutBytes(text: string): string {
  return text.replaceAll(/data:([\w.+/-]{1,80});base64,([\w+/=-]{64,})/g, (_all, type: string, bytes: string) =>
    placeholder(`data:${type}`, bytes),
  );
}

/** Includes `data` of redacted thinking and of encrypted reasoning in the form of routers. */
function isEncrypted(key: string, holder: object): boolean {
  const type = 'type' in holder ? holder.type : undefined;
  return (
    encryptedFields.has(key) || (key === 'data' && (type === 'redacted_thinking' || type === 'reasoning.encrypted'))
  );
}

/** Replaces encrypted fields in the text of a response body, which contains JSON and may end within such a field. */
function withoutEncryptedData(text: string): string {
  const inFields = text.replaceAll(
    encryptedField,
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
