import { ToolError } from '../error.ts';
import { isVariableName } from './is-variable-name.ts';

/** Names whose values give access to something. Case does not matter. */
const credential =
  /(?:^|_)(?:API_?KEY|TOKEN|SECRET|SECRET_KEY|ACCESS_KEY|ACCESS_KEY_ID|PRIVATE_KEY|PASSWORD|PASSWD|PASSPHRASE|CREDENTIALS?)$/i;

/** Would change how the shell starts. */
const startup = new Set(['BASH_ENV', 'ENV', 'PROMPT_COMMAND', 'PS0', 'PS1', 'PS2', 'BASHOPTS', 'SHELLOPTS']);

const defaults = {
  AI_AGENT: 'varve',
  GIT_PAGER: 'cat',
  MANPAGER: 'cat',
  PAGER: 'cat',
};

/**
 * The environment of the agent's shell: what `inherited` holds without credentials of the host, pagers that do not wait
 * for a key, then `own`, whose values always win.
 *
 * @throws {ToolError} `unusable` when a name in `own` is not an identifier.
 */
export function shellEnvironment(
  inherited: Readonly<Record<string, string | undefined>>,
  own: Readonly<Record<string, string>>,
): Record<string, string> {
  const wrong = Object.keys(own).find((name) => !isVariableName(name));
  if (wrong !== undefined) throw new ToolError('unusable', `The environment name ${wrong} is not an identifier.`);
  const kept = Object.entries(inherited).flatMap(([name, value]) =>
    value === undefined || credential.test(name) || startup.has(name) ? [] : [[name, value] as const],
  );
  return { ...Object.fromEntries(kept), ...defaults, ...own };
}
