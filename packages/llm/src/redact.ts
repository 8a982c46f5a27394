import { secretSpellings } from './secret-spellings.ts';

/** What may stand in text that came from outside: keys that known providers hand out, tokens, and named secrets. */
const secretShapes: readonly RegExp[] = [
  // With a digit or an asterisk: names such as hf_hub_download are no keys.
  /\b(?:sk|pk|rk|gsk|hf|xai|ghp|github_pat|glpat|xox[abp]|r8)[-_](?=[\w.-]{0,200}[\d*])[\w*.-]{6,}/g,
  /\bAKIA[A-Z\d]{16}\b/g,
  /\bAIza[\w-]{10,}/g,
  /\beyJ[\w-]{10,}\.[\w-]+(?:\.[\w-]*)?/g,
  /(?<=\bbearer\s{1,4})(?=\S{0,200}\d)[^\s"',]{8,}/gi,
  /(?<=\b(?:api[-_ ]?key|token|secret|password)["']?\s{0,4}[=:]\s{0,4}["']?)(?=[^\s"',&]{0,200}\d)[^\s"',&]{6,}/gi,
];

const none: readonly string[] = [];

/** What lists of secrets are looked for as, kept because a list masks many texts. */
const known = new WeakMap<readonly string[], readonly string[]>();

/**
 * `text` with every one of `secrets`, and everything that looks like a key, replaced by `[redacted]`: as it is, and encoded as
 * servers give it back.
 */
export function masked(text: string, secrets: readonly string[] = none): string {
  let safe = text;
  for (const secret of spellingsOf(secrets)) safe = safe.replaceAll(secret, '[redacted]');
  for (const shape of secretShapes) safe = safe.replaceAll(shape, '[redacted]');
  return safe;
}

function spellingsOf(secrets: readonly string[]): readonly string[] {
  const before = known.get(secrets);
  if (before) return before;
  const spelled = secrets.filter((secret) => secret.length >= 4).flatMap(secretSpellings);
  // Longest first: of a secret that holds another one nothing may be left.
  const sorted = spelled.toSorted((one, other) => other.length - one.length);
  known.set(secrets, sorted);
  return sorted;
}

/** The start of a text, {@link masked}, on one line and cut to `limit` characters. */
export function redact(text: string, secrets: readonly string[] = none, limit = 300): string {
  const safe = masked(text.slice(0, 20_000), secrets);
  const line = safe.replaceAll(/\s+/g, ' ').trim().toWellFormed();
  return line.length <= limit ? line : `${line.slice(0, limit - 1).replace(/[\uD800-\uDBFF]$/, '')}…`;
}
