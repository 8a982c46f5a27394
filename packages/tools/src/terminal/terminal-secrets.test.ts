import { readdir } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { backends, openTerminal, shown, untilShown } from '../testing/open-terminal.ts';
import { namedSecrets } from './named-secrets.ts';

const value = `it's "$HOME" \`date\` \\ %41\nsecond ä`;
const secrets = namedSecrets({ API_TOKEN: value, OTHER_TOKEN: 'other', 'no-name': 'x' });
const open = (pty: boolean): ReturnType<typeof openTerminal> => openTerminal(pty, { secrets, noChangeTimeoutMs: 300 });

describe.for(backends)('a terminal on a %s', ([, pty]) => {
  test('TE-43: a secret is in the environment of the command that names it, byte for byte', async () => {
    await using shell = await open(pty);
    const command = `sh -c 'env | grep -c =other; printf "%s" "$API_TOKEN"'`;
    expect(shown(await shell.call({ command, timeout: 20 }))).toBe(`0\n${value}`);
  });

  test('TE-43: no later command has it, nor the shell, nor a command that names it in pieces', async () => {
    await using shell = await open(pty);
    expect(await shell.call({ command: ': $api_token; false', timeout: 20 })).toMatchObject({ exit_code: 1 });
    const pieces = `name=API_; name=\${name}TOKEN; echo "[\${!name}]"; env | grep -c 'second [ä]'; set | grep -c 'second [ä]'`;
    expect(shown(await shell.call({ command: pieces, timeout: 20 }))).toBe('[]\n0\n0');
    expect(shown(await shell.call({ command: 'echo $?', timeout: 20 }))).toBe('1');
  });

  test('TE-43: a command that is interrupted leaves no secret behind', async () => {
    await using shell = await open(pty);
    await untilShown(shell, { command: `sh -c 'echo up; exec sleep 600' $API_TOKEN`, timeout: 1 }, 'up');
    await shell.call({ command: 'C-c', is_input: true, timeout: 20 });
    expect(shown(await shell.call({ command: `env | grep -c 'second [ä]'`, timeout: 20 }))).toBe('0');
  });

  test('names that are no identifiers are left out, and no file is left', async () => {
    await using shell = await open(pty);
    const before = new Set(await readdir(tmpdir()));
    expect(shown(await shell.call({ command: 'echo no-name $OTHER_TOKEN', timeout: 20 }))).toBe('no-name other');
    const own = (await readdir(tmpdir())).filter((name) => name.startsWith('varve-terminal-') && !before.has(name));
    const files = await Promise.all(own.map((name) => readdir(join(tmpdir(), name))));
    expect(files.flat()).not.toContain('secrets');
  });
});
