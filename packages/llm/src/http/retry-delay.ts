/**
 * Returns the milliseconds that a provider asks to wait, from `retry-after-ms`, or `retry-after` in seconds or as a
 * date; 0 for a time in the past, undefined when neither is readable.
 *
 * @see https://www.rfc-editor.org/rfc/rfc9110#field.retry-after
 */
export function retryAfter(headers: Pick<Headers, 'get'>, now: number = Date.now()): number | undefined {
  const exact = numberOf(headers.get('retry-after-ms'));
  if (exact !== undefined) return exact;
  const value = headers.get('retry-after');
  const seconds = numberOf(value);
  if (seconds !== undefined) return seconds * 1000;
  const date = Date.parse(value ?? '');
  return Number.isNaN(date) ? undefined : Math.max(0, date - now);
}

/** Greatest number that is read. More digits than a number has would be a wait that JSON does not know. */
const maxNumber = 1e15;

function numberOf(value: string | null): number | undefined {
  return value !== null && /^\s*\d+(?:\.\d+)?\s*$/.test(value) ? Math.min(Number(value), maxNumber) : undefined;
}

/** `1.5s`, `350 ms`, `6m0s`, `1h2m`, `20 seconds`. */
const span = String.raw`((?:\d+(?:\.\d+)?\s?(?:ms|milliseconds?|h|hours?|min(?:ute)?s?|m|s|sec(?:ond)?s?)\s?){1,4})(?![a-z])`;

const waitPatterns: readonly RegExp[] = [
  new RegExp(String.raw`"retryDelay"\s?:\s?"${span}"`, 'i'),
  new RegExp(String.raw`(?:try again|retry|available|reset(?:s)?)(?: your request)? (?:in|after) ${span}`, 'i'),
];

const units: Readonly<Record<string, number>> = { ms: 1, mi: 60_000, m: 60_000, h: 3_600_000, s: 1000 };

/** Returns the milliseconds that the text of an error asks to wait; undefined when it contains no readable duration. */
export function waitInText(text: string): number | undefined {
  const start = text.slice(0, 4000);
  for (const pattern of waitPatterns) {
    const value = pattern.exec(start)?.[1];
    if (value !== undefined) return durationOf(value);
  }
  return undefined;
}

function durationOf(text: string): number {
  const parts = [...text.matchAll(/(?<!\d)(\d+(?:\.\d+)?)\s?([a-z]+)/gi)];
  const total = parts.reduce(
    (sum, [, amount = '0', unit = '']) => sum + Math.min(Number(amount), maxNumber) * unitOf(unit.toLowerCase()),
    0,
  );
  return Math.ceil(total);
}

function unitOf(unit: string): number {
  if (unit.startsWith('milli')) return 1;
  return units[unit] ?? units[unit.slice(0, 1)] ?? 0;
}

/** Units that providers limit. */
const limitedUnits = ['requests', 'tokens', 'input-tokens', 'output-tokens'];

/**
 * Returns the milliseconds until every used-up limit is reset, by the rate limit headers. When none is marked as used
 * up: until the token limits are reset, because a request needs many tokens, but at most a minute, because none needs
 * all of them. Undefined when the headers contain no time.
 *
 * @see https://platform.openai.com/docs/guides/rate-limits and https://docs.claude.com/en/api/rate-limits
 */
export function limitReset(headers: Pick<Headers, 'get'>, now: number = Date.now()): number | undefined {
  const limits = limitedUnits.flatMap((unit) => {
    const header = (field: string): string | null =>
      headers.get(`x-ratelimit-${field}-${unit}`) ?? headers.get(`anthropic-ratelimit-${unit}-${field}`);
    const waitMs = waitUntil(header('reset'), now);
    return waitMs === undefined ? [] : [{ unit, isUsedUp: header('remaining') === '0', waitMs }];
  });
  const usedUp = limits.filter(({ isUsedUp }) => isUsedUp);
  if (usedUp.length > 0) return latest(usedUp);
  const ofTokens = limits.filter(({ unit }) => unit.endsWith('tokens'));
  if (ofTokens.length > 0) return Math.min(latest(ofTokens), 60_000);
  return waitUntil(headers.get('x-ratelimit-reset'), now);
}

function latest(limits: readonly { readonly waitMs: number }[]): number {
  return Math.max(...limits.map(({ waitMs }) => waitMs));
}

/** `value` is a duration such as `6m0s`, seconds, a time in seconds or milliseconds since 1970, or a date. */
function waitUntil(value: string | null, now: number): number | undefined {
  if (value === null) return undefined;
  if (/^\d+(?:\.\d+)?$/.test(value)) {
    const number = Math.min(Number(value), maxNumber);
    return number < 1e9 ? number * 1000 : Math.max(0, (number < 1e12 ? number * 1000 : number) - now);
  }
  const date = Date.parse(value);
  return Number.isNaN(date) ? waitInText(`try again in ${value}`) : Math.max(0, date - now);
}
