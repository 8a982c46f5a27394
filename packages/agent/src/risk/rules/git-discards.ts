import { isLongOption } from '../../shell/words/options.ts';

type Args = readonly string[];

/** Reports whether an argument contains a short option, also in a cluster, or is a long one. */
function has(args: Args, short: string, long?: string): boolean {
  const cluster = new RegExp(`^-[a-zA-Z]*[${short}]`);
  return args.some((arg) => cluster.test(arg) || (long !== undefined && isLongOption(arg, long)));
}

function hasAllFiles(args: Args): boolean {
  return args.some((arg) => /^(?:\.\/?|:\/|:\(top\).*|\*|\.\/\*)$/.test(arg));
}

/** Commands of git with the arguments that discard what is stored nowhere else. */
const discards: Readonly<Record<string, (args: Args) => boolean>> = {
  branch: (args) => has(args, 'D') || (has(args, 'd', '--delete') && has(args, 'f', '--force')),
  checkout: (args) => has(args, 'f', '--force') || hasAllFiles(args),
  'checkout-index': (args) => has(args, 'f', '--force') && has(args, 'a', '--all'),
  clean: (args) => has(args, 'f', '--force') && !has(args, 'n', '--dry-run'),
  'filter-branch': () => true,
  gc: (args) => args.some((arg) => /^--prune=(?:now|all)$/.test(arg)),
  'read-tree': (args) => args.some((arg) => isLongOption(arg, '--reset')),
  reflog: (args) => args.some((arg) => arg === 'expire' || arg === 'delete'),
  reset: (args) => args.some((arg) => isLongOption(arg, '--hard')),
  restore: (args) => hasAllFiles(args) && (!has(args, 'S', '--staged') || has(args, 'W', '--worktree')),
  rm: (args) => hasAllFiles(args) && !args.includes('--cached'),
  stash: ([verb]) => verb === 'drop' || verb === 'clear',
  submodule: (args) => args.includes('deinit') && has(args, 'f', '--force'),
  switch: (args) => has(args, 'fC', '--force') || args.some((arg) => isLongOption(arg, '--discard-changes')),
  'update-ref': (args) => has(args, 'd'),
  worktree: (args) => args.includes('remove') && has(args, 'f', '--force'),
};

/** Reports whether a command of git discards changes or commits that are stored nowhere else. */
export function discardsWork(verb: string, args: Args): boolean {
  return Object.hasOwn(discards, verb) && (discards[verb]?.(args) ?? false);
}
