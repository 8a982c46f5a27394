/** `1.5s`, `350 ms`, `6m0s`, `1h2m`, `20 seconds`. */
const span = String.raw`((?:\d+(?:\.\d+)?\s?(?:ms|milliseconds?|h|hours?|min(?:ute)?s?|m|s|sec(?:ond)?s?)\s?){1,4})(?![a-z])`;

const waitPatterns: readonly RegExp[] = [
  new RegExp(String.raw`"retryDelay"\s?:\s?"${span}"`, 'i'),
  new RegExp(String.raw`(?:try again|retry|available|reset(?:s)?)(?: your request)? (?:in|after) ${span}`, 'i'),
];

const units: Readonly<Record<string, number>> = { ms: 1, mi: 60_000, m: 60_000, h: 3_600_000, s: 1000 };

/** Milliseconds that the text of an error asks to wait; absent when it asks nothing readable. */
export function waitInText(text: string): number | undefined {
  const said = text.slice(0, 4000);
  for (const wish of waitPatterns) {
    const found = wish.exec(said)?.[1];
    if (found !== undefined) return durationOf(found);
  }
  return undefined;
}

function durationOf(text: string): number {
  const parts = [...text.matchAll(/(\d+(?:\.\d+)?)\s?([a-z]+)/gi)];
  const total = parts.reduce(
    (sum, [, amount = '0', unit = '']) => sum + Number(amount) * unitOf(unit.toLowerCase()),
    0,
  );
  return Math.ceil(total);
}

function unitOf(unit: string): number {
  if (unit.startsWith('milli')) return 1;
  return units[unit] ?? units[unit.slice(0, 1)] ?? 0;
}
