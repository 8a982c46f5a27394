/** Milliseconds that something took, in the order of the measurements. */
export type Durations = number[];

/** Returns the median, the 99th percentile and the maximum of durations, in seconds. */
export function pausesOf(durations: Durations): string {
  const sorted = durations.toSorted((a, b) => a - b);
  const at = (part: number): string =>
    ((sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))] ?? 0) / 1000).toFixed(2);
  return `p50 ${at(0.5)} s, p99 ${at(0.99)} s, max ${at(1)} s of ${sorted.length}`;
}
