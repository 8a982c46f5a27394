const UNITS = [
  ['d', 24 * 60 * 60 * 1000],
  ['h', 60 * 60 * 1000],
  ['m', 60 * 1000],
  ['s', 1000],
  ['ms', 1],
];

/** The shortest text that `parseDuration` reads back as the same number of milliseconds. */
export function formatDuration(milliseconds) {
  if (milliseconds === 0) return '0s';
  let rest = milliseconds;
  const parts = [];
  for (const [unit, size] of UNITS) {
    const count = Math.floor(rest / size);
    rest -= count * size;
    if (count > 0) parts.push(`${count}${unit}`);
  }
  return parts.join(' ');
}
