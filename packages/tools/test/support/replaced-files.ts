import { metadataOf, openTerminal, outputOf } from './open-terminal.ts';

const timeout = 20;

/** What a command may put in the place of `$f`. */
export const replacements = [
  ['a pipe', 'mkfifo $f'],
  ['a directory with a file', 'mkdir $f; touch $f/file'],
  ['a link to itself', 'ln -s $f $f'],
  ['nothing', ':'],
  ['a file', 'echo text > $f; chmod 400 $f'],
  ['a link to a device without end', 'ln -s /dev/zero $f'],
  ['a link to the terminal', 'ln -s /dev/tty $f'],
  ['a link to a directory of the workspace', 'mkdir -p kept/1; touch kept/1/command kept/command; ln -s $PWD/kept $f'],
] as const;

/** Files and directories of a terminal and its first shell, below the directory of the terminal. */
const places = ['1/{command,secrets,startup,shell,inherited,environment-{0,1}}', '1', '', 'owner'];

/**
 * Replaces each file and directory of a terminal, and runs further commands. Returns what differs from the output, exit
 * code and directory that they must have.
 */
export async function faultsAfter(pty: boolean, make: string): Promise<readonly unknown[]> {
  await using shell = await openTerminal(pty, { secrets: () => ({ KEY: 'swordfish' }), maxOutputChars: 1000 });
  await shell.call({ command: 'V=kept', timeout });
  const faults: unknown[] = [];
  for (const place of places) {
    const replace = `for f in $VARVE_TERMINAL/${place}; do f=\${f%/}; rm -rf $f; ${make}; done; seq 500`;
    const replaced = await shell.call({ command: replace, timeout });
    const next = await shell.call({ command: 'echo $V $KEY $PWD; (exit 3)', timeout });
    const outcome = [replaced['exit_code'], outputOf(next), next['exit_code'], metadataOf(next).working_dir].join('|');
    if (outcome !== `0|kept swordfish ${shell.workspace}|3|${shell.workspace}`) faults.push([place, outcome]);
  }
  await shell.call({ command: 'exit', timeout });
  const kept = outputOf(await shell.call({ command: 'cat kept/1/command kept/command 2>/dev/null', timeout }));
  return kept === '' ? faults : [...faults, kept];
}
