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

/** `text` with every one of `secrets`, and everything that looks like a key, replaced by `[redacted]`. */
export function masked(text: string, secrets: readonly string[] = []): string {
  let safe = text;
  // Longest first: of a secret that holds another one nothing may be left.
  for (const secret of secrets.toSorted((one, other) => other.length - one.length)) {
    if (secret.length >= 4) safe = safe.replaceAll(secret, '[redacted]');
  }
  for (const shape of secretShapes) safe = safe.replaceAll(shape, '[redacted]');
  return safe;
}

/** The start of a text, {@link masked}, on one line and cut to `limit` characters. */
export function redact(text: string, secrets: readonly string[] = [], limit = 300): string {
  const safe = masked(text.slice(0, 20_000), secrets);
  const line = safe.replaceAll(/\s+/g, ' ').trim().toWellFormed();
  return line.length <= limit ? line : `${line.slice(0, limit - 1).replace(/[\uD800-\uDBFF]$/, '')}…`;
}
