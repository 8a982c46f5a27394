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
