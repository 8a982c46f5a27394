import { describe, expect, test } from 'vitest';
import { isInside } from '../support/inside-sandbox.ts';
import { backends, openTerminal, outputOf, callUntil } from '../support/open-terminal.ts';
import { namedSecrets } from '../../src/terminal/terminal-options.ts';

const value = `it's "$HOME" \`date\` \\ %41\nsecond ä`;
const secrets = namedSecrets({ API_TOKEN: value, OTHER_TOKEN: 'other', 'no-name': 'x' });
const open = (pty: boolean): ReturnType<typeof openTerminal> => openTerminal(pty, { secrets, noChangeTimeoutMs: 300 });

describe.for(backends)('a terminal on a %s', ([, pty]) => {
  test('a secret is in the environment of the command that names it, byte for byte', async () => {
    await using shell = await open(pty);
    const command = `sh -c 'env | grep -c =other; printf "%s" "$API_TOKEN"'`;
    expect(outputOf(await shell.call({ command, timeout: 20 }))).toBe(`0\n${value}`);
  });

  test('a secret is not in the environment of later commands, of the shell, or of a command with parts of its name', async () => {
    await using shell = await open(pty);
    expect(await shell.call({ command: ': $api_token; false', timeout: 20 })).toMatchObject({ exit_code: 1 });
    const pieces = `name=API_; name=\${name}TOKEN; echo "[\${!name}]"; env | grep -c 'second [ä]'; set | grep -c 'second [ä]'`;
    expect(outputOf(await shell.call({ command: pieces, timeout: 20 }))).toBe('[]\n0\n0');
    expect(outputOf(await shell.call({ command: 'echo $?', timeout: 20 }))).toBe('1');
  });

  test('an interrupted command leaves no secret', async () => {
    await using shell = await open(pty);
    await callUntil(shell, { command: `sh -c 'echo up; exec sleep 600' $API_TOKEN`, timeout: 0.1 }, 'up');
    await shell.call({ command: 'C-c', is_input: true, timeout: 20 });
    expect(outputOf(await shell.call({ command: `env | grep -c 'second [ä]'`, timeout: 20 }))).toBe('0');
  });

  test('a shell restarted after a command with secrets has none of them', async () => {
    await using shell = await open(pty);
    await shell.call({ command: 'export A=1; : $OTHER_TOKEN', timeout: 20 });
    const ended = await shell.call({ command: 'export B=2; : $API_TOKEN; exit 3', timeout: 20 });
    expect(ended).toMatchObject({ is_error: true, exit_code: 3 });
    const count = `echo "$A|$B"; env | grep -c -e =other -e 'second [ä]'`;
    expect(outputOf(await shell.call({ command: count, timeout: 20 }))).toBe('1|\n0');
  });

  test('secrets are unset after a command that changes IFS and sets nounset', async () => {
    await using shell = await open(pty);
    const names = 'IFS=,; set -u; : $API_TOKEN $OTHER_TOKEN';
    expect(await shell.call({ command: names, timeout: 20 })).toMatchObject({ exit_code: 0 });
    const count = `env | grep -c -e =other -e 'second [ä]'; printf '%s' "$IFS"`;
    expect(outputOf(await shell.call({ command: count, timeout: 20 }))).toBe('0\n,');
  });

  test('a command that makes a secret readonly leaves it in the environment of no other', async () => {
    await using shell = await open(pty);
    for (const [at, change] of ['readonly', 'declare -rx', 'unset() { :; }; :', 'set -a; typeset -r'].entries()) {
      const name = at % 2 === 0 ? 'API_TOKEN' : 'OTHER_TOKEN';
      await shell.call({ command: `${change} ${name}`, timeout: 20 });
      const count = outputOf(await shell.call({ command: `env | grep -c -e =other -e 'second [ä]'`, timeout: 20 }));
      expect([change, count]).toEqual([change, '0']);
    }
  });

  test('set -x prints no secret that the command does not print itself', async () => {
    await using shell = await open(pty);
    await shell.call({ command: 'set -x', timeout: 20 });
    const observation = await shell.call({ command: 'true API_TOKEN OTHER_TOKEN; false', timeout: 20 });
    expect(outputOf(observation)).toBe(
      "+ eval 'true API_TOKEN OTHER_TOKEN; false'\n++ true API_TOKEN OTHER_TOKEN\n++ false",
    );
    expect(outputOf(await shell.call({ command: 'echo $?', timeout: 20 }))).toBe("+ eval 'echo $?'\n++ echo 1\n1");
  });

  test('names that are not identifiers are ignored, and the file is emptied before the command starts', async () => {
    await using shell = await open(pty);
    const list = String.raw`ls -1 "$(dirname "$(ps -o args= -p $$ | sed 's/.*--rcfile \([^ ]*\).*/\1/')")"`;
    const observation = await shell.call({ command: `echo no-name $OTHER_TOKEN; ${list}`, timeout: 20 });
    expect(outputOf(observation)).toBe('no-name other\ncommand\nsecrets\nshell\nstartup\nstate');
    const text = await shell.call({ command: 'cat $VARVE_TERMINAL/1/secrets; : $OTHER_TOKEN', timeout: 20 });
    // In a sandbox the shell only reads it, and it is removed after the command.
    expect(isInside ? '' : outputOf(text)).toBe('');
    expect(outputOf(await shell.call({ command: 'ls $VARVE_TERMINAL/1', timeout: 20 }))).not.toContain('secrets');
  });
});
