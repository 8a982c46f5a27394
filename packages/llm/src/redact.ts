import { mapStrings, redactor, type Redactor } from '@varve/text';

const replacement = '[redacted]';

/**
 * A run of characters that may contain a JSON Web Token: parts between dots, the first of them of this form. Its length
 * is limited here and below, because a match of millions of characters overflows the stack.
 */
const dottedRun = /[\w.-]{16,20000}/g;
const tokenStart = /\beyJ(?=[\w-]{10})/;

/** Shapes of keys that providers issue, and of tokens: text from outside may contain a key that is not registered. */
const keyShapes: readonly RegExp[] = [
  // With a digit or an asterisk, as names such as hf_hub_download are not keys.
  /\b(?:sk|pk|rk|gsk|hf|xai|ghp|github_pat|glpat|xox[abp]|r8)[-_](?=[\w.-]{0,200}[\d*])[\w*.-]{6,20000}/g,
  /\bAKIA[A-Z\d]{16}\b/g,
  /\bAIza[\w-]{10,20000}/g,
  /(?<=\bbearer\s{1,4})(?=\S{0,200}\d)[^\s"',]{8,20000}/gi,
  /(?<=\b(?:api[-_ ]?key|token|secret|password)["']?\s{0,4}[=:]\s{0,4}["']?)(?=[^\s"',&]{0,200}\d)[^\s"',&]{6,20000}/gi,
];

const none: readonly string[] = [];

/** Redactors by their list of secrets, because a list is used for many texts. */
const redactors = new WeakMap<readonly string[], Redactor>();

/** Returns a text with `secrets`, in every spelling, and everything that looks like a key replaced by `[redacted]`. */
export function redactText(text: string, secrets: readonly string[] = none): string {
  return withoutKeyShapes(redactorOf(secrets).text(text));
}

/** Tests whether a text contains what looks like a key of a provider, or a token. */
export function looksLikeKey(text: string): boolean {
  return withoutKeyShapes(text) !== text;
}

function withoutKeyShapes(text: string): string {
  let redacted = text.replaceAll(dottedRun, withoutToken);
  for (const shape of keyShapes) redacted = redacted.replaceAll(shape, replacement);
  return redacted;
}

/** Reads each part once: a pattern for the whole token would read the rest of the run at each of its starts. */
function withoutToken(run: string): string {
  if (!run.includes('eyJ')) return run;
  const parts = run.split('.');
  const at = parts.findIndex((part, index) => tokenStart.test(part) && (parts[index + 1] ?? '') !== '');
  const before = parts.slice(0, at + 1).join('.');
  return at === -1 ? run : before.slice(0, before.length - (parts[at] ?? '').length) + startOfToken(parts[at] ?? '');
}

function startOfToken(part: string): string {
  return part.slice(0, part.search(tokenStart)) + replacement;
}

/** Returns a JSON value whose strings, property names included, are redacted as by {@link redactText}. */
export function redactJson<Value>(value: Value, secrets: readonly string[]): Value {
  const redact = (text: string): string => redactText(text, secrets);
  return mapStrings(value, redact, redact);
}

/** Returns the start of a text, redacted as by {@link redactText}, on one line and cut to `limit` UTF-16 units. */
export function redactLine(text: string, secrets: readonly string[] = none, limit = 300): string {
  const isRead = text.length <= maxRead;
  const redacted = isRead ? redactText(text, secrets) : redactStart(text, secrets);
  const line = redacted.replaceAll(/\s+/g, ' ').trim().toWellFormed();
  if (isRead && line.length <= limit) return line;
  return `${line.slice(0, limit - 1).replace(/[\uD800-\uDBFF]$/, '')}…`;
}

/** Characters of a text that a line is made of. */
const maxRead = 20_000;
/** Longest start of a key whose shape cannot be recognised yet. */
const maxKeyStart = 300;

/** Returns the redacted start of a text, without characters that may belong to a secret that continues after it. */
function redactStart(text: string, secrets: readonly string[]): string {
  const start = redactorOf(secrets).stream().push(text.slice(0, maxRead));
  return withoutKeyShapes(start).slice(0, -maxKeyStart);
}

function redactorOf(secrets: readonly string[]): Redactor {
  const known = redactors.get(secrets) ?? redactor(secrets, { replacement });
  redactors.set(secrets, known);
  return known;
}
