/** Names and beginnings of commands that have nothing in common, short: a pattern may take exponential time. */
const unrelated = ['node', 'bash', 'sshd', '/usr', '/bin', 'a -x'];

/** Longer patterns are compared with none: they match few programs, or take long to compare. */
const maxLength = 32;

/** Reports whether a pattern of `pkill` matches several unrelated programs, by their names or whole commands. */
export function matchesPrograms(pattern: string): boolean {
  if (pattern.length > maxLength) return false;
  try {
    const expression = new RegExp(pattern.replaceAll(/\[:\w+:\]/g, 'a-z'));
    return unrelated.filter((program) => expression.test(program)).length > 1;
  } catch {
    return false;
  }
}
