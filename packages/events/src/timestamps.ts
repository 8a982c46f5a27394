/** The last microsecond that a four-digit year can name. */
const lastMicro = Date.UTC(10_000, 0) * 1000 - 1;

/**
 * A source of event timestamps: naive local time with microseconds, each at least one microsecond after the one before,
 * so that string order is log order even when the clock stands still or goes back.
 *
 * @param now UTC milliseconds, for instance `Date.now`.
 * @param after the last timestamp of the log that is continued; text that is no timestamp counts as none.
 */
export function timestamps(now: () => number, after = ''): () => string {
  let last = microsOf(after);
  return () => {
    const utcMs = now();
    const localMs = utcMs - new Date(utcMs).getTimezoneOffset() * 60_000;
    last = Math.min(Math.max(last + 1, Math.floor(localMs * 1000)), lastMicro);
    return textOfMicros(last);
  };
}

/** Microseconds since 1970 as the wall clock shows them, read as if it were UTC; 0 when it cannot be read. */
function microsOf(timestamp: string): number {
  const [, seconds = '', fraction = ''] = /^(\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d)(?:\.(\d+))?/.exec(timestamp) ?? [];
  const ms = Date.parse(`${seconds.replace(' ', 'T')}Z`);
  return Number.isNaN(ms) ? 0 : ms * 1000 + Number(fraction.padEnd(6, '0').slice(0, 6));
}

function textOfMicros(micros: number): string {
  const seconds = new Date(Math.floor(micros / 1_000_000) * 1000).toISOString().slice(0, 19);
  return `${seconds}.${String(micros % 1_000_000).padStart(6, '0')}`;
}
