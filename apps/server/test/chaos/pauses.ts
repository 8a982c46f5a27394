/** Milliseconds that something took, in the order of the measurements. */
export type Durations = number[];

/** A time, in UTC milliseconds. */
export interface Interval {
  readonly from: number;
  readonly to: number;
}

/** Returns the milliseconds of an interval after the last of the outages that it overlaps, or of all of it. */
export function pauseAfter({ from, to }: Interval, outages: readonly Interval[]): number {
  const ends = outages
    .filter((outage) => outage.from < to && outage.to > from)
    .map((outage) => Math.min(outage.to, to));
  return to - Math.max(from, ...ends);
}

/** Returns the median, the 99th percentile and the maximum of durations, in seconds. */
export function pausesOf(durations: readonly number[]): string {
  const sorted = durations.toSorted((a, b) => a - b);
  const at = (part: number): string =>
    ((sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))] ?? 0) / 1000).toFixed(2);
  return `p50 ${at(0.5)} s, p99 ${at(0.99)} s, max ${at(1)} s of ${sorted.length}`;
}
