/** Formats a number of events: `1 event`, `2 events`. */
export function eventCount(count: number): string {
  return `${count} ${count === 1 ? 'event' : 'events'}`;
}
