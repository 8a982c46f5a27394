/** Milliseconds that something took, in the order of the measurements. */
export type Durations = number[];

/** A time, in UTC milliseconds. */
export interface Interval {
  readonly from: number;
  readonly to: number;
}

/** Returns the milliseconds of the longest part of an interval that overlaps no outage. */
export function pauseWithout({ from, to }: Interval, outages: readonly Interval[]): number {
  let [longest, since] = [0, from];
  for (const outage of outages.toSorted((a, b) => a.from - b.from)) {
    longest = Math.max(longest, Math.min(outage.from, to) - since);
    since = Math.max(since, outage.to);
  }
  return Math.max(longest, to - since);
}

/** Returns the median, the 99th percentile and the maximum of durations, in seconds. */
export function pausesOf(durations: readonly number[]): string {
  const sorted = durations.toSorted((a, b) => a - b);
  const at = (part: number): string =>
    ((sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))] ?? 0) / 1000).toFixed(2);
  return `p50 ${at(0.5)} s, p99 ${at(0.99)} s, max ${at(1)} s of ${sorted.length}`;
}
