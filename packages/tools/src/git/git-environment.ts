/** Overrides of settings by which a repository makes git run programs, even to compare files. */
const safeSettings = {
  'core.fsmonitor': 'false',
  'core.hooksPath': '/dev/null',
  'core.quotePath': 'false',
  'log.showSignature': 'false',
  'diff.ignoreSubmodules': 'dirty',
  'diff.submodule': 'short',
};

/**
 * Returns environment variables that stop git from running programs, taking locks, prompting and using the network.
 * `settings` override those of the repository.
 */
export function gitEnvironment(settings: Readonly<Record<string, string>>): Record<string, string> {
  const pairs = Object.entries({ ...safeSettings, ...settings });
  // Not as arguments: a name may contain an equals sign, which would change the setting.
  const numbered = pairs.flatMap(([name, value], index) => [
    [`GIT_CONFIG_KEY_${index}`, name] as const,
    [`GIT_CONFIG_VALUE_${index}`, value] as const,
  ]);
  return {
    ...Object.fromEntries(numbered),
    GIT_CONFIG_COUNT: String(pairs.length),
    GIT_OPTIONAL_LOCKS: '0',
    GIT_LITERAL_PATHSPECS: '1',
    GIT_TERMINAL_PROMPT: '0',
    GIT_NO_LAZY_FETCH: '1',
    GIT_ALLOW_PROTOCOL: 'none',
    LC_ALL: 'C',
  };
}
