import { unknown, type NestedCommand } from './nested-command.ts';
import type { ShellWords } from '../words/shell-word.ts';
import { harmlessNodeOptions } from '../words/special-variables.ts';

const makePrograms = [[/^(?:SHELL|\.SHELLFLAGS|MAKE)[:+?!]*=/, /^(?:(?:\/usr)?\/bin\/)?(?:ba|da|z)?sh$/]] as const;

/** Settings of package managers, which are options too: `npm config set script-shell x`. */
const scriptPrograms = [
  [/^(?:--(?:config\.)?)?node-?options(?==|$)/i, harmlessNodeOptions],
  [/^(?:--(?:config\.)?)?(?:script-?shell|yarn-?path)(?:=|$)/i, /^(?:(?:\/usr)?\/bin\/)?(?:ba|da|z)?sh$/],
] as const;

/** Options of compilers that load a program or a library. */
const compiler = [
  [/^(?:-wrapper|--?fplugin(?==)|-fpass-plugin(?==)|-load(?:=|$))/, /^$/],
  [/^--?specs(?==)/, /^[\w-]+\.specs$/],
  // Directories of the parts of the compiler.
  [/^(?:-B|--prefix=)/, /^(?:static|dynamic|symbolic[\w-]*|\/usr\/(?!.*\.\.)[\w/.-]*)$/],
] as const;
const rust = [[/^(?:-C|--codegen=)?linker(?==)/, /^[\w-]*$/]] as const;
const maven = [[/^-Dexec\.executable(?==)/, /^$/]] as const;
const netcat = [[/^(?:-[a-zA-Z]*[ec]|--(?:sh-)?e|--lua-e)/, /^$/]] as const;

/** Options that name a program to run, and the values that are harmless. */
const options: Readonly<Record<string, readonly (readonly [option: RegExp, harmless: RegExp])[]>> = {
  'c++': compiler,
  cc: compiler,
  clang: compiler,
  'clang++': compiler,
  'g++': compiler,
  gcc: compiler,
  go: [[/^--?(?:exec|toolexec|vettool)(?==|$)/, /^$/]],
  hg: [[/^--config(?==|$)/, /^(?:ui\.(?:username|color|quiet|verbose|interactive)|color\.mode|progress\.disable)=/]],
  mvn: maven,
  mvnw: maven,
  nc: netcat,
  ncat: netcat,
  netcat,
  rustc: rust,
  rustdoc: rust,
  socat: [[/(?:^|!!)(?:exec|system|shell):/i, /^$/]],
  'ssh-add': [[/^-s/, /^$/]],
  'ssh-keygen': [[/^-(?:D|w)/, /^$/]],
  svn: [[/^--(?:diff3?-cmd|editor-cmd|config-option)/, /^(?:config:(?:auth|miscellany)|servers:global):/]],
  'start-stop-daemon': [[/^(?:-\w*[xa]|--exec|--startas)/, /^$/]],
  cargo: [[/^--config(?==|$)/, /^(?!.*(?:rustc|linker|runner|rustdoc|alias|\.toml))[\w.-]+=/]],
  ctags: [[/^--(?:options|input)/, /^$/]],
  gmake: makePrograms,
  make: makePrograms,
  man: [[/^(?:-P|-H|--pager|--html)/, /^(?:cat|less)$/]],
  npm: scriptPrograms,
  pnpm: scriptPrograms,
  rg: [[/^--(?:pre|hostname-bin)\b/, /^$/]],
  rsync: [[/^(?:-[a-zA-Z]*e|--rsh|--rsync-path)/, /^ssh(?: -[pil] \S+)*$/]],
  scp: [[/^-(?:S|o|D)/, /^(?:StrictHostKeyChecking|ConnectTimeout|BatchMode|Port|User)=\S*$/]],
  sftp: [[/^-(?:S|o|D|b)/, /^(?:StrictHostKeyChecking|ConnectTimeout|BatchMode|Port|User)=\S*$/]],
  sort: [[/^--compress-p/, /^(?:gzip|zstd|xz|lz4|bzip2)$/]],
  split: [[/^--filter/, /^$/]],
  ssh: [[/^-[a-zA-Z]*[oF]/, /^(?:StrictHostKeyChecking|ConnectTimeout|BatchMode|Port|User|ServerAlive\w+)=\S*$/]],
  'systemd-run': [[/^(?:-p|--property=)?Exec\w+=/, /^$/]],
  tar: [
    [/^(?:-I|--use-c)/, /^(?:gzip|pigz|zstd|xz|bzip2|lz4)(?: -T?\d+)?$/],
    [/^(?:-F|--to-c|--checkpoint-a|--rsh|--inf|--new-v|--rmt)/, /^(?:dot|echo.*)$/],
  ],
  wget: [[/^--use-a/, /^$/]],
  yarn: scriptPrograms,
  curl: [[/^(?:-K|--config)/, /^$/]],
  zip: [[/^(?:-TT|--unzip-c)/, /^$/]],
};

/** Programs whose arguments are never run. */
const inert = new Set(
  'cat cd ls ll dir pwd echo printf head tail wc uniq cut tr paste column diff cmp comm grep egrep fgrep rgrep zgrep ack ag which whereis whatis apropos type test [ true false : jq yq gh glab mkdir touch basename dirname realpath readlink file stat du df tree tac rev nl od xxd hexdump md5sum sha1sum sha256sum cksum base64 date cal sleep whoami id groups uname hostname uptime env ps top pgrep pkill export declare typeset local readonly set shopt return break continue exit shift umask ulimit times jobs fg bg disown wait kill rm rmdir cp mv ln tee chmod chown chgrp truncate shred dd unlink install ln apt apt-get brew dnf yum apk pip pip3 seq yes expr bc factor numfmt fold fmt join sync logger write mail git rg man sort tar rsync scp sftp curl wget zip unzip gzip gunzip zcat'.split(
    ' ',
  ),
);

/** Reports whether no argument of a program is run. */
export function isInert(name: string): boolean {
  return inert.has(name);
}

/** Returns the options of a command that name a program to run. */
export function namedPrograms(name: string, args: ShellWords): readonly NestedCommand[] {
  const known = Object.hasOwn(options, name) ? (options[name] ?? []) : [];
  return known.flatMap(([option, harmless]) =>
    args.flatMap(({ text }, at) => {
      if (text === undefined || !option.test(text)) return [];
      const attached = text.replace(option, '').replace(/^[^=]*=(?=.)/, '');
      const value = attached === '' ? args[at + 1]?.text : attached;
      return value !== undefined && harmless.test(value) ? [] : [unknown('unknown.program', `${name} ${text}`)];
    }),
  );
}
