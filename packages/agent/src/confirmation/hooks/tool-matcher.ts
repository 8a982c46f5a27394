import { RE2JS } from 're2js';

/** Patterns are names of tools; a longer one is a mistake or an attack. */
const maxPatternLength = 1000;

/**
 * Reports whether a matcher of hooks names a tool; without a tool, only `*` and an empty matcher do. An invalid regular
 * expression in slashes matches nothing, another one is compared as a name. Takes time linear in the length of the
 * name, whatever the expression is.
 *
 * @see software-agent-sdk HookMatcher.matches
 */
export function matchesTool(matcher: string, tool: string | undefined): boolean {
  if (matcher === '' || matcher === '*') return true;
  if (tool === undefined) return false;
  if (matcher.length > 1 && matcher.startsWith('/') && matcher.endsWith('/')) {
    return matchesWhole(matcher.slice(1, -1), tool) ?? false;
  }
  return (/[.^$*+?{}[\]|()\\]/.test(matcher) ? matchesWhole(matcher, tool) : undefined) ?? matcher === tool;
}

/** Returns undefined for an invalid expression. RE2 never backtracks, and has no lookaround and no references. */
function matchesWhole(pattern: string, text: string): boolean | undefined {
  if (pattern.length > maxPatternLength) return undefined;
  try {
    return RE2JS.compile(pattern).matches(text);
  } catch {
    return undefined;
  }
}
