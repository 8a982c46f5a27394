const UNITS = {
  d: 24 * 60 * 60 * 1000,
  h: 60 * 60 * 1000,
  m: 60 * 1000,
  s: 1000,
  ms: 1,
};

const PART = /(\d+(?:\.\d+)?)\s*(d|h|m|s|ms)/g;

/** Milliseconds of a text such as `1h 30m`, `2.5s` or `250ms`. */
export function parseDuration(text) {
  let total = 0;
  let matched = '';
  for (const [part, amount, unit] of text.matchAll(PART)) {
    total += Number(amount) * UNITS[unit];
    matched += part;
  }
  if (matched === '' || matched.replaceAll(/\s/g, '') !== text.replaceAll(/\s/g, '')) {
    throw new Error(`"${text}" is not a duration`);
  }
  return total;
}
