import { waitInText } from './wait-in.ts';

/** What limits are counted in. */
const counted = ['requests', 'tokens', 'input-tokens', 'output-tokens'];

/**
 * Milliseconds until every limit is reset of which nothing is left, by the headers that tell limits; where none says so, until
 * that of tokens is, of which a request needs many, but at most a minute: no request needs all of them. Absent when they tell no moment.
 *
 * @see https://platform.openai.com/docs/guides/rate-limits and https://docs.claude.com/en/api/rate-limits
 */
export function limitReset(headers: Headers, now: number = Date.now()): number | undefined {
  const limits = counted.flatMap((what) => {
    const told = (word: string): string | null =>
      headers.get(`x-ratelimit-${word}-${what}`) ?? headers.get(`anthropic-ratelimit-${what}-${word}`);
    const waitMs = momentIn(told('reset'), now);
    return waitMs === undefined ? [] : [{ what, isUsedUp: told('remaining') === '0', waitMs }];
  });
  const usedUp = limits.filter(({ isUsedUp }) => isUsedUp);
  if (usedUp.length > 0) return latest(usedUp);
  const ofTokens = limits.filter(({ what }) => what.endsWith('tokens'));
  if (ofTokens.length > 0) return Math.min(latest(ofTokens), 60_000);
  return momentIn(headers.get('x-ratelimit-reset'), now);
}

function latest(limits: readonly { readonly waitMs: number }[]): number {
  return Math.max(...limits.map(({ waitMs }) => waitMs));
}

/** A span such as `6m0s`, seconds, a moment in seconds or milliseconds since 1970, or a date. */
function momentIn(value: string | null, now: number): number | undefined {
  if (value === null) return undefined;
  if (/^\d+(?:\.\d+)?$/.test(value)) {
    const number = Number(value);
    return number < 1e9 ? number * 1000 : Math.max(0, (number < 1e12 ? number * 1000 : number) - now);
  }
  const date = Date.parse(value);
  return Number.isNaN(date) ? waitInText(`try again in ${value}`) : Math.max(0, date - now);
}
