import { mapStrings, redactor, type Redactor } from '@varve/text';

const replacement = '[redacted]';

/** Shapes of keys that providers issue, and of tokens: text from outside may contain a key that is not registered. */
const keyShapes: readonly RegExp[] = [
  // With a digit or an asterisk, as names such as hf_hub_download are not keys.
  /\b(?:sk|pk|rk|gsk|hf|xai|ghp|github_pat|glpat|xox[abp]|r8)[-_](?=[\w.-]{0,200}[\d*])[\w*.-]{6,}/g,
  /\bAKIA[A-Z\d]{16}\b/g,
  /\bAIza[\w-]{10,}/g,
  /\beyJ[\w-]{10,}\.[\w-]+(?:\.[\w-]*)?/g,
  /(?<=\bbearer\s{1,4})(?=\S{0,200}\d)[^\s"',]{8,}/gi,
  /(?<=\b(?:api[-_ ]?key|token|secret|password)["']?\s{0,4}[=:]\s{0,4}["']?)(?=[^\s"',&]{0,200}\d)[^\s"',&]{6,}/gi,
];

const none: readonly string[] = [];

/** Redactors by their list of secrets, because a list is used for many texts. */
const redactors = new WeakMap<readonly string[], Redactor>();

/** Returns a text with `secrets`, in every spelling, and everything that looks like a key replaced by `[redacted]`. */
export function redactText(text: string, secrets: readonly string[] = none): string {
  let redacted = redactorOf(secrets).text(text);
  for (const shape of keyShapes) redacted = redacted.replaceAll(shape, replacement);
  return redacted;
}

/** Returns a JSON value whose strings, property names included, are redacted as by {@link redactText}. */
export function redactJson<Value>(value: Value, secrets: readonly string[]): Value {
  const redact = (text: string): string => redactText(text, secrets);
  return mapStrings(value, redact, redact);
}

/** Returns the start of a text, redacted as by {@link redactText}, on one line and cut to `limit` UTF-16 units. */
export function redactLine(text: string, secrets: readonly string[] = none, limit = 300): string {
  const redacted = redactText(text.slice(0, 20_000), secrets);
  const line = redacted.replaceAll(/\s+/g, ' ').trim().toWellFormed();
  return line.length <= limit ? line : `${line.slice(0, limit - 1).replace(/[\uD800-\uDBFF]$/, '')}…`;
}

function redactorOf(secrets: readonly string[]): Redactor {
  const known = redactors.get(secrets) ?? redactor(secrets, { replacement });
  redactors.set(secrets, known);
  return known;
}
