import { basename } from 'node:path';
import { unknown, type NestedCommand, type CommandInput } from './nested-command.ts';
import { runsCode } from './interpreters.ts';
import type { ShellWords } from '../words/shell-word.ts';
import { wrapperOf } from './wrappers.ts';

/** Programs that do harm with arguments. */
const heads =
  /^(?:rm|dd|shred|unlink|truncate|mkfs.*|wipefs|fdisk|parted|sgdisk|chmod|chown|chgrp|tee|cp|mv|ln|git|find|fd|sed|curl|wget|scp|rsync|rimraf|shutdown|reboot|halt|poweroff|init|kill|npm|pnpm|yarn|cargo|twine|docker|podman|terraform|tofu|kubectl|helm|aws|gcloud|gh|dropdb|psql|mysql|redis-cli)$/;

/** Maximum number of places in one command from which its arguments are read as a command. */
const maxPlaces = 8;

/**
 * Returns what the arguments of a program contain if the program runs them: a command from some word on, or a script in
 * one word. Unknown wrappers, package runners and containers are found by it.
 */
export function possibleCommands(args: ShellWords, { hasInput }: CommandInput): readonly NestedCommand[] {
  const places = args.flatMap(({ text }, at) => (text !== undefined && isHead(basename(text)) ? [at] : []));
  if (places.length > maxPlaces) return [unknown('unknown.size', 'The arguments contain many commands.')];
  const scripts = args.flatMap(({ shown }): readonly NestedCommand[] => {
    if (!/[\s;|&`(]/.test(shown)) return [];
    const source = shown.replace(/^-{1,2}[\w-]+=/, '');
    // `CC='rm -rf x'` of `make` is an assignment, and a script may start with one.
    const value = source.replace(/^\w+=/, '');
    return [source, ...(value === source ? [] : [value])].map((one) => ({ kind: 'possible-script', source: one }));
  });
  const last = args.at(-1)?.text;
  const readsInput = hasInput && last !== undefined && runsCode(basename(last));
  return [
    ...places.map((at): NestedCommand => ({ kind: 'possible', words: args.slice(at) })),
    ...scripts,
    ...(readsInput ? [unknown('unknown.input', last)] : []),
  ];
}

function isHead(name: string): boolean {
  return heads.test(name) || runsCode(name) || wrapperOf(name) !== undefined;
}
