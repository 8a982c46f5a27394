import { unknown, type NestedCommand } from './nested-command.ts';
import type { ShellWords } from '../words/shell-word.ts';

/** Commands for which any argument that is not known may be a dangerous option or directory. */
const every = /^(?:rm|rmdir|unlink|shred|dd|chmod|chown|chgrp|truncate|tee|rimraf)$/;
/** Commands that write their last argument. */
const last = /^(?:mv|cp|ln|install|rsync|scp)$/;

/** Reports whether a word that is not known starts with a relative directory, or with a temporary one. */
export function isInKnownDirectory(shown: string): boolean {
  return /^(?:\.?[\w][\w.-]*|\.)\/|^\/tmp\/\w/.test(shown) && !shown.includes('..');
}

/** Returns the arguments that are not known and matter: `$FLAGS` in `rm $FLAGS` may contain any option of `rm`. */
export function unseenArguments(name: string, args: ShellWords): readonly NestedCommand[] {
  const matters = every.test(name) ? args : last.test(name) ? args.slice(-1) : [];
  const isDeletion = name === 'rm' || name === 'rmdir';
  const unseen = matters.filter(({ text, shown }) => text === undefined && (isDeletion || !isInKnownDirectory(shown)));
  const text = [name, ...args.map(({ shown }) => shown)].join(' ');
  return unseen.length > 0 ? [unknown('unknown.arguments', text)] : [];
}
