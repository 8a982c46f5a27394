/** Last second of a year with four digits: numbers hold single microseconds only until the year 2255. */
const lastMicro = Date.UTC(9999, 11, 31, 23, 59, 59) * 1000;

/** Returns a later number: the next microsecond, or the next multiple of 64 of a time that is not held exactly. */
function laterThan(micros: number): number {
  return micros < Number.MAX_SAFE_INTEGER ? micros + 1 : (Math.floor(micros / 64) + 1) * 64;
}

/**
 * Creates a source of event timestamps: local time without zone, with microseconds. Each is at least one microsecond
 * later than the one before, so that string order is log order even if the clock stops or is set back; those after the
 * last second of the year 9999 are equal.
 *
 * @param now UTC milliseconds, for instance `Date.now`.
 * @param after Last timestamp of the log to continue. Text that is not a timestamp is ignored.
 */
export function timestamps(now: () => number, after = ''): () => string {
  let last = microsOf(after);
  return () => {
    const utcMs = now();
    const localMs = utcMs - new Date(utcMs).getTimezoneOffset() * 60_000;
    last = Math.min(Math.max(laterThan(last), Math.floor(localMs * 1000)), lastMicro);
    return textOfMicros(last);
  };
}

/**
 * Returns a foreign time as a timestamp of an event that follows the event at `after`: unchanged if it is later, else
 * one microsecond after that event. Text without a time follows it too.
 *
 * @param time Local time as text, of any precision, or UTC milliseconds.
 */
export function timestampAfter(time: string | number, after: string): string {
  const wanted = typeof time === 'number' ? microsOfInstant(time) : microsOf(time);
  return textOfMicros(Math.min(Math.max(wanted, laterThan(microsOf(after))), lastMicro));
}

function microsOfInstant(utcMs: number): number {
  const micros = Math.floor((utcMs - new Date(utcMs).getTimezoneOffset() * 60_000) * 1000);
  return Number.isFinite(micros) ? micros : 0;
}

/** Returns the wall-clock time as microseconds since 1970, as if it were UTC. Returns 0 for other text. */
function microsOf(timestamp: string): number {
  const [, seconds = '', fraction = ''] = /^(\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d)(?:\.(\d+))?/.exec(timestamp) ?? [];
  const ms = Date.parse(`${seconds.replace(' ', 'T')}Z`);
  return Number.isNaN(ms) ? 0 : ms * 1000 + Number(fraction.padEnd(6, '0').slice(0, 6));
}

function textOfMicros(micros: number): string {
  const seconds = Math.floor(micros / 1_000_000);
  const fraction = String(micros - seconds * 1_000_000).padStart(6, '0');
  return `${new Date(seconds * 1000).toISOString().slice(0, 19)}.${fraction}`;
}
