/** Names and beginnings of commands that have nothing in common, short: a pattern may take polynomial time. */
const unrelated = ['node', 'bash', 'sshd', '/usr', '/bin', 'a -x'];

/** Longer patterns are not compared: that may take long. */
const maxLength = 32;
/** A group that is repeated: comparing it may take exponential time, however short the text is. */
const repeatedGroup = /\)[*+{]/;
/** Number of characters that a whole command must contain to be one of few. */
const minLiteral = 4;

/**
 * Reports whether a pattern of `pkill` matches several unrelated programs, by their names or whole commands, or repeats
 * a group.
 */
export function matchesPrograms(pattern: string): boolean {
  if (repeatedGroup.test(pattern)) return true;
  if (pattern.length > maxLength) return alternativesMatch(pattern);
  try {
    const expression = new RegExp(pattern.replaceAll(/\[:\w+:\]/g, 'a-z'));
    return unrelated.filter((program) => expression.test(program)).length > 1;
  } catch {
    return false;
  }
}

/** Reports whether a long pattern names several of them, or has an alternative that leaves almost all open. */
function alternativesMatch(pattern: string): boolean {
  const fixed = pattern
    .split('|')
    .map((one) => one.replaceAll(/\[[^[\]]{0,99}\][?*+]?|\\?.(?:[?*]|\{[^{}]{0,9}\})|\\[^.]|[().^$+]/g, ''));
  if (fixed.some(({ length }) => length < minLiteral)) return true;
  return unrelated.filter((program) => fixed.some((text) => program.includes(text))).length > 1;
}
