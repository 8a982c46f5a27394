import { isoSeconds, parseIsoTime } from '../../hosting/info/iso-time.ts';

/**
 * Returns an instant in the form of event timestamps, so that comparing texts compares times: local time without a
 * zone, and no fraction if it is zero. Text without a zone is local time. Undefined for text that is not ISO 8601.
 *
 * @see agent-server 1.43.1, the filters `timestamp__gte` and `timestamp__lt`
 */
export function naiveLocal(text: string): string | undefined {
  const time = parseIsoTime(text);
  if (!time) return undefined;
  const { wall, micros, offsetMs } = time;
  const local = offsetMs === undefined ? wall : isoSeconds(localOf(Date.parse(`${wall}Z`) - offsetMs));
  return Number(micros) === 0 ? local : `${local}.${micros}`;
}

function localOf(utcMs: number): number {
  return utcMs - new Date(utcMs).getTimezoneOffset() * 60_000;
}
