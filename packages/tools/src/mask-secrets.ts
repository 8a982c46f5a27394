const replacement = '<secret-hidden>';
const shortest = 4;
const shortestLine = 16;

/** Returns what it is given with every secret replaced; the same value when there is none in it. */
export type Mask = <T>(value: T) => T;

/**
 * Hides secrets in text, and in every text inside of a JSON value; property names stay. A secret is found as it is, in
 * base64 (either alphabet, with or without padding), percent-encoded, and as JSON or a form writes it; also without the
 * white space around it, and line by line where a line has 16 characters or more. Where secrets overlap the longest wins; those shorter than 4 characters are not hidden. `secrets` as a function is asked on each use.
 *
 * The input is never changed.
 */
export function maskSecrets(secrets: readonly string[] | (() => readonly string[])): Mask {
  if (typeof secrets !== 'function') {
    const pattern = patternOf(secrets);
    return (value) => masked(value, pattern);
  }
  let known: readonly string[] = [];
  let pattern: RegExp | undefined;
  return (value) => {
    const now = secrets();
    if (now.length !== known.length || now.some((secret, index) => secret !== known[index])) {
      known = [...now];
      pattern = patternOf(known);
    }
    return masked(value, pattern);
  };
}

function patternOf(secrets: readonly string[]): RegExp | undefined {
  const whole = secrets.flatMap((secret) => [secret, secret.trim()]).filter((secret) => secret.length >= shortest);
  const forms = new Set([...whole.flatMap(formsOf), ...whole.flatMap(longLinesOf)]);
  if (forms.size === 0) return undefined;
  const longestFirst = [...forms].toSorted((one, other) => other.length - one.length);
  // What is hidden already comes first and stays as it is, even when a secret is a word of it.
  return new RegExp([replacement, ...longestFirst].map(escaped).join('|'), 'g');
}

function escaped(literal: string): string {
  return literal.replaceAll(/[\\^$.*+?()[\]{}|]/g, String.raw`\$&`);
}

/** Output comes in parts, so that the lines of a key may have to be found one by one. */
function longLinesOf(secret: string): readonly string[] {
  return secret.split(/\r?\n/).filter((line) => line.length >= shortestLine);
}

function formsOf(secret: string): readonly string[] {
  const bytes = Buffer.from(secret);
  const base64 = bytes.toString('base64');
  const percent = encodeURIComponent(secret.toWellFormed());
  return [
    secret,
    base64,
    base64.replace(/=+$/, ''),
    bytes.toString('base64url'),
    percent,
    percent.replaceAll('%20', '+'),
    JSON.stringify(secret).slice(1, -1),
  ];
}

function masked<T>(value: T, pattern: RegExp | undefined): T {
  return pattern === undefined ? value : (maskedValue(value, pattern) as T);
}

function maskedValue(value: unknown, pattern: RegExp): unknown {
  if (typeof value === 'string') return value.replace(pattern, replacement);
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return maskedItems(value, pattern);
  return maskedFields(value, pattern);
}

function maskedItems(items: readonly unknown[], pattern: RegExp): readonly unknown[] {
  const changed = items.map((item) => maskedValue(item, pattern));
  return changed.some((item, index) => item !== items[index]) ? changed : items;
}

function maskedFields(record: object, pattern: RegExp): object {
  let changed = false;
  const fields = Object.entries(record).map(([name, field]) => {
    const hidden = maskedValue(field, pattern);
    changed ||= hidden !== field;
    return [name, hidden] as const;
  });
  return changed ? Object.fromEntries(fields) : record;
}
