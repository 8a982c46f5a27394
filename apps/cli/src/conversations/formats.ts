/** Formats a number of events: `1 event`, `2 events`. */
export function eventCount(count: number): string {
  return `${count} ${count === 1 ? 'event' : 'events'}`;
}

/** Formats UTC milliseconds as local date and time: `2026-01-31 09:05`. */
export function localTime(time: number): string {
  const date = new Date(time);
  const [month, day, hours, minutes] = [date.getMonth() + 1, date.getDate(), date.getHours(), date.getMinutes()].map(
    (value) => String(value).padStart(2, '0'),
  );
  return `${date.getFullYear()}-${month}-${day} ${hours}:${minutes}`;
}

const minuteMs = 60_000;
const hourMs = 60 * minuteMs;
const dayMs = 24 * hourMs;

/** Formats UTC milliseconds by their distance from now, and after a month as local date: `5 min ago`. */
export function age(time: number, now: number): string {
  const ms = Math.max(0, now - time);
  if (ms < minuteMs) return 'just now';
  if (ms < hourMs) return `${Math.floor(ms / minuteMs)} min ago`;
  if (ms < dayMs) return `${Math.floor(ms / hourMs)} h ago`;
  const days = Math.floor(ms / dayMs);
  if (days > 30) return localTime(time).slice(0, 10);
  return days === 1 ? '1 day ago' : `${days} days ago`;
}
