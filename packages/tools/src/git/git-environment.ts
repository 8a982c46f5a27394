/** A repository may name programs in its settings, and git runs them even to compare files. */
const harmless = {
  'core.fsmonitor': 'false',
  'core.hooksPath': '/dev/null',
  'core.quotePath': 'false',
  'log.showSignature': 'false',
  'diff.ignoreSubmodules': 'dirty',
};

/** The variables that keep git off programs, locks, questions and the network; `settings` win over those of the repository. */
export function gitEnvironment(settings: Readonly<Record<string, string>>): Record<string, string> {
  const pairs = Object.entries({ ...harmless, ...settings });
  // Not by arguments: a name may hold an equals sign, and the setting would be another one.
  const numbered = pairs.flatMap(([name, value], index) => [
    [`GIT_CONFIG_KEY_${index}`, name] as const,
    [`GIT_CONFIG_VALUE_${index}`, value] as const,
  ]);
  return {
    ...Object.fromEntries(numbered),
    GIT_CONFIG_COUNT: String(pairs.length),
    GIT_OPTIONAL_LOCKS: '0',
    GIT_TERMINAL_PROMPT: '0',
    GIT_NO_LAZY_FETCH: '1',
    GIT_ALLOW_PROTOCOL: 'none',
    LC_ALL: 'C',
  };
}
