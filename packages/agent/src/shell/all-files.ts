import { posix } from 'node:path';
import { deletedFiles } from './affected-files.ts';
import type { ShellCommand } from './shell-command.ts';
import { normalPath } from './words/paths.ts';

/** Tests of `find` that select some files. */
const selection =
  /^-(?:i?(?:name|path|wholename|regex|lname)|empty|[acm](?:min|time)|[ac]?newer.*|size|inum|samefile|links|perm|user|group)$/;

/** Reports whether the tests of `find` select some files, and not all or all but some. */
export function selectsFiles(args: readonly string[]): boolean {
  if (args.some((arg) => /^(?:-o|-or|,)$/.test(arg))) return false;
  return args.some(
    (arg, at) =>
      selection.test(arg) && !/^(?:!|-not)$/.test(args[at - 1] ?? '') && !/^[*./?]+$/.test(args[at + 1] ?? ''),
  );
}

/** Reports whether a command deletes all files of the workspace, or its history. */
export function deletesAllFiles(command: ShellCommand): boolean {
  const { name, args, paths } = command;
  if (name === 'mv') return false;
  if (name === 'find' && selectsFiles(args)) return false;
  return deletedFiles(command).some((file) => isEverything(file, paths.workspace));
}

function isEverything(file: string, workspace: string | undefined): boolean {
  const path = normalPath(file).replace(/(?<=.)\/$/, '');
  const relative = workspace === undefined ? path : posix.relative(workspace, posix.resolve(workspace, path));
  return /^(?:\.?\/?[*.]*|\.git|~\+|\$\{?PWD\}?)(?:\/[*.]*)?$/.test(relative);
}
