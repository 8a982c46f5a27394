/** Names and beginnings of commands that have nothing in common, short: a pattern may take exponential time. */
const unrelated = ['node', 'bash', 'sshd', '/usr', '/bin', 'a -x'];

/** Longer patterns are not compared: that may take long. */
const maxLength = 32;
/** Number of characters that a whole command must contain to be one of few. */
const minLiteral = 4;

/** Reports whether a pattern of `pkill` matches several unrelated programs, by their names or whole commands. */
export function matchesPrograms(pattern: string): boolean {
  if (pattern.length > maxLength) return isGeneral(pattern);
  try {
    const expression = new RegExp(pattern.replaceAll(/\[:\w+:\]/g, 'a-z'));
    return unrelated.filter((program) => expression.test(program)).length > 1;
  } catch {
    return false;
  }
}

/** Reports whether a long pattern has many alternatives, or one that leaves almost any character open. */
function isGeneral(pattern: string): boolean {
  const alternatives = pattern.split('|');
  if (alternatives.length > 4) return true;
  return alternatives.some((one) => {
    const fixed = one.replaceAll(/\[[^[\]]{0,99}\][?*+]?|\\?.(?:[?*]|\{[^{}]{0,9}\})|\\[^.]|[().^$+]/g, '');
    return fixed.length < minLiteral;
  });
}
