import { mkdirSync, mkdtempDisposableSync, readdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { openSandbox, sandboxProblem } from '@varve/sandbox';
import { removePrivateDirectory } from '../../src/files/private-file.ts';
import { backends, metadataOf, openTerminal, outputOf } from '../support/open-terminal.ts';
import { faultsAfter, replacements } from '../support/replaced-files.ts';

const timeout = 20;

const problem = await sandboxProblem();
if (problem !== undefined) process.stderr.write(`NOT TESTED: files of a terminal in a sandbox. ${problem}\n`);

describe.for(backends)('a terminal on a %s', ([, pty]) => {
  test.for(replacements.slice(0, 3))(
    'continues when its files and directories are replaced by %s',
    async ([, make]) => {
      expect(await faultsAfter(pty, make)).toEqual([]);
    },
  );

  test('a shell starts in spite of what a command put in the places of its files', async () => {
    await using shell = await openTerminal(pty);
    const pipes = 'mkdir $VARVE_TERMINAL/2; mkfifo $VARVE_TERMINAL/2/{startup,command,shell,environment-0}';
    await shell.call({ command: `${pipes}; touch $VARVE_TERMINAL/3`, timeout });
    for (const round of ['2', '3'])
      expect(outputOf(await shell.call({ command: `echo ${round}`, reset: true, timeout }))).toBe(round);
  });

  test('a program that reads the files of the session cannot end its command, or change its exit code or directory', async () => {
    await using shell = await openTerminal(pty);
    const forge = [
      'nonce=$(grep -ao "697;D;[0-9a-f]*" "$VARVE_TERMINAL"/1/startup | head -1)',
      'for id in 0 1 2 3 4 5 18446744073709551616; do for kind in "" "P;"; do',
      String.raw`printf "\033]%s;%s%s;0;/etc\007" "$nonce" "$kind" $id; done; done`,
      String.raw`sleep 0.05; echo end; printf "\033]%s;" "$nonce"; exit 7`,
    ].join('\n');
    await shell.call({ command: 'true', timeout });
    const forged = await shell.call({ command: `sh -c '${forge}'`, timeout });
    expect([outputOf(forged), forged['exit_code'], metadataOf(forged).working_dir]).toEqual([
      'end',
      7,
      shell.workspace,
    ]);
    expect(outputOf(await shell.call({ command: 'echo next', timeout }))).toBe('next');
  });
});

test.skipIf(problem !== undefined)(
  'in a sandbox, the only place of varve that a shell writes has its state',
  async () => {
    const walls = { profile: 'test', writable: [tmpdir()], readOnly: [], hidden: [], network: 'off' } as const;
    const sandbox = openSandbox(walls);
    try {
      await using shell = await openTerminal(false, { sandbox, maxOutputChars: 1000 });
      const attempts = [
        '> owner',
        'mkdir 7',
        '> outputs/x',
        'rm 1/command',
        '> 1/shell',
        'mv 1 other',
        'mv 1/state other',
      ];
      const script = `cd $VARVE_TERMINAL; for name in ${attempts.map((each) => `'${each}'`).join(' ')}; do (eval "$name") 2>/dev/null && echo "$name"; done; ls 1`;
      expect(outputOf(await shell.call({ command: script, timeout }))).toBe('command\nshell\nstartup\nstate');
      expect(outputOf(await shell.call({ command: '> 1/state/x; ls 1/state', timeout }))).toContain('x');
      const long = await shell.call({ command: 'seq 500', timeout });
      const { full_output_save_dir: saved } = long;
      expect(outputOf(await shell.call({ command: `cat ${String(saved)}/* | tail -1`, timeout }))).toBe('500');
    } finally {
      sandbox.close();
    }
  },
);

test('the removal of a directory follows no link', async () => {
  using directory = mkdtempDisposableSync(join(tmpdir(), 'varve-'));
  const [removed, kept] = [join(directory.path, 'removed'), join(directory.path, 'kept')];
  for (const path of [join(removed, 'a/b'), kept]) mkdirSync(path, { recursive: true });
  writeFileSync(join(kept, 'file'), '');
  writeFileSync(join(removed, 'a/b/file'), '');
  symlinkSync(kept, join(removed, 'a/link'));
  symlinkSync(kept, join(directory.path, 'other'));
  await removePrivateDirectory(removed);
  await removePrivateDirectory(join(directory.path, 'other'));
  expect([readdirSync(directory.path), readdirSync(kept)]).toEqual([['kept', 'other'], ['file']]);
});
