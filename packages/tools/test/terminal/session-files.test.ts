import { describe, expect, test } from 'vitest';
import { backends, metadataOf, openTerminal, outputOf } from '../support/open-terminal.ts';
import { faultsAfter, replacements } from '../support/replaced-files.ts';

const timeout = 20;

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
