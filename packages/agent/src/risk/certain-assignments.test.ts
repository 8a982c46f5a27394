import { expect, test } from 'vitest';
import { TerminalAction } from '@varve/events/payloads';
import { confirmRisky } from '../confirmation/policies.ts';
import { countingTool } from '../testing/counting-tool.ts';
import { shellRisk } from './shell-risk.ts';

const policy = confirmRisky({ analyzer: shellRisk() });
const tool = countingTool().tool();
const review = (command: string) =>
  policy.review({ tool, action: TerminalAction.create({ command }), risk: 'LOW', workspace: '/data/me/project' });
const unasked = (commands: readonly string[]) => commands.filter((command) => !review(command).asks);

/** Scripts that use a variable where it may have the value of an earlier command, or none. */
const uncertain: readonly ((use: string) => string)[] = [
  (use) => `${use}; a=ls`,
  (use) => `${use} a=ls`,
  (use) => `a=ls ${use}`,
  (use) => `a=ls true; ${use}`,
  (use) => `a=ls | cat; ${use}`,
  (use) => `a=ls & ${use}`,
  (use) => `(a=ls); ${use}`,
  (use) => `echo $(a=ls); ${use}`,
  (use) => `cat <(a=ls); ${use}`,
  (use) => `coproc { a=ls; }; ${use}`,
  (use) => `{ a=ls; } < f\n${use}`,
  (use) => `a=ls < f; ${use}`,
  (use) => `export a=ls < f; ${use}`,
  (use) => `local a=ls; ${use}`,
  (use) => `declare -p a=ls; ${use}`,
  (use) => `export -f a=ls; ${use}`,
  (use) => `export -z a=ls; ${use}`,
  (use) => `declare "$x" a=ls; ${use}`,
  (use) => `exec {a}< f; ${use}`,
  (use) => `f() { a=ls; }; ${use}`,
  (use) => `f() { ${use}; }; f; a=ls`,
  (use) => `test -f f && a=ls; ${use}`,
  (use) => `test -f f || a=ls; ${use}`,
  (use) => `test -f f && a=ls || ${use}`,
  (use) => `test -f f || a=ls && ${use}`,
  (use) => `if test -f f; then a=ls; fi; ${use}`,
  (use) => `if test -f f; then a=ls; else ${use}; fi`,
  (use) => `if test -f f; then a=ls; elif test -f g; then :; else a=ls; fi; ${use}`,
  (use) => `while test -f f; do a=ls; done; ${use}`,
  (use) => `while break; a=ls; do :; done; ${use}`,
  (use) => `for x in *; do a=ls; done; ${use}`,
  (use) => `for x in 1 2; do ${use}; a=ls; done`,
  (use) => `for a in *.none; do a=ls; done; ${use}`,
  (use) => `for ((;0;)); do a=ls; done; ${use}`,
  (use) => `select x in 1; do a=ls; done; ${use}`,
  (use) => `case f in g) a=ls;; esac; ${use}`,
  (use) => `a=ls; bash -c '${use}'`,
  (use) => `a=ls; eval '${use}'`,
  (use) => `a[1]=ls; ${use}`,
  (use) => `a=([1]=ls); ${use}`,
  (use) => `a=(); ${use}`,
  (use) => `a=ls; ${use.replace('$a', () => '${a[@]}')}`,
  (use) => `export a=ls; ${use.replace('$a', () => '${a[*]}')}`,
  (use) => `for a in ls; do ${use.replace('$a', () => '${a[@]}')}; done`,
  // Bash abandons the rest of a line, and continues with the next one.
  (use) => `: \${x:?}; a=ls\n${use}`,
  (use) => `: $((1/0)); a=ls\n${use}`,
  (use) => `echo *.none; a=ls\n${use}`,
  (use) => `echo $unset; a=ls\n${use}`,
  (use) => `b=$((1/0)) a=ls\n${use}`,
  (use) => `a=ls$((1/0))\n${use}`,
  (use) => `(a=ls); b=$a; ${use.replace('$a', () => '$b')}`,
];

test.for(['$a rm -rf y', '$a -rf y', '"$a" -rf y', 'rm $a', 'echo x > $a', 'env $a -rf y', 'echo y | xargs $a'])(
  'asks about "%s" where an assignment before it may have no effect',
  (use) => {
    expect(unasked(uncertain.map((script) => script(use)))).toEqual([]);
  },
);

test.for(['local a', 'declare a', 'typeset a', 'a=', 'f=; a=$f', 'declare a='])(
  'asks about a program that %s makes the first argument of an empty variable',
  (declaration) => {
    expect(unasked([`a=ls; f() { ${declaration}; $a rm -rf y; }; f`])).toEqual([]);
  },
);

/** Commands that calculate with the text of a variable. */
const calculations = [
  'echo $((a))',
  '((a++))',
  'let n=a',
  '[[ a -eq 1 ]]',
  'echo ${x:a}',
  'echo ${x[a]}',
  'x[a]=1',
  'x+=([a]=1)',
  'n=$((a)); for ((;n;)); do :; done',
  'for ((;a;)); do :; done',
  'exec {x[a]}>f',
];

test.for(['declare a', 'typeset a', 'declare -x a b', 'local a', 'f() { local a; }; f', 'declare -g a'])(
  'asks about calculations with a variable that may keep its text after %s',
  (declaration) => {
    expect(unasked(calculations.map((use) => `${declaration}; ${use}`))).toEqual([]);
    const numbers = calculations.map((use) => `f() { local a; a=1; ${use}; }`);
    expect(unasked(numbers)).toEqual(numbers);
  },
);

test('a value that a variable may have is rated as if it had it', () => {
  const scripts = ['if test -f f; then a=rm; fi; $a -rf y', '(a=/etc/passwd); echo x > $a', '$a -rf y; a=rm'];
  expect(scripts.map((script) => review(script).verdict?.risk)).toEqual(['HIGH', 'HIGH', 'HIGH']);
});

test('does not ask where a variable is certainly assigned', () => {
  const scripts = [
    'a=ls; $a y',
    'a=ls\n$a y',
    'a=ls && $a y',
    'test -f f && a=ls && $a y',
    '! a=ls; $a y',
    'export a=ls; $a y',
    'declare a=ls b=y; $a $b',
    'f() { local a=ls; $a y; }; f',
    'export -x a=ls; declare -gx b=y; $a $b',
    'a=ls b=$a; $b y',
    'a="ls" ; { $a y; } > f',
    'a=ls; ( $a y ) | cat',
    'a=ls; f() { $a y; }; f',
    'a=ls; for x in 1 2; do $a $x; done',
    'for a in ls pwd; do echo x > "$a"; done',
    'if test -f f; then a=x; else a=y; fi; rm $a',
    'if test -f f; then a=x; elif test -f g; then a=y; else a=z; fi; rm $a',
    'cd src\nout=log\nmake > $out',
    'cd src; out=log; make > $out',
    'n=$(ls | wc -l); out=log.$n\nmake > out.log',
    "bash -c 'a=ls; $a y'",
    'a=(x y); rm "${a[@]}"',
    'a=(x y); rm $a',
    'while a=ls; do $a y; done',
  ];
  expect(unasked(scripts)).toEqual(scripts);
});

test.for(['${a[1]} rm -rf y', '"${a[1]}" -rf y', 'env ${a[1]} -rf y', 'echo y | xargs ${a[1]}'])(
  'asks about "%s", whose program may be missing in the array',
  (use) => {
    expect(unasked([`a=(ls); ${use}`])).toEqual([]);
  },
);

test('does not ask about numbers of a loop, elements of a known array, and empty names', () => {
  const scripts = [
    'for ((i=0; i<3; i++)); do echo "$i" > "out$i.txt"; done',
    'for ((i=0,j=9; i<j; i++,j--)); do cp a "b$i-$j"; done',
    'a=(x y); for ((i=0; i<${#a[@]}; i++)); do echo "${a[$i]}"; done',
    'a=(x y); mv "${a[0]}" "${a[1]}"',
    'a=(x); rm "${a[1]}"; echo x > ${a[0]}',
    'f() { local tmp; tmp=$(mktemp); echo x > "$tmp"; rm "$tmp"; }; f',
    'f() { local -r name=$1; echo "$name"; }; f x',
  ];
  expect(unasked(scripts)).toEqual(scripts);
  const others = ['for ((i<3; i=1; i++)); do rm $i; done', 'a=(x); rm "${a[1]}/"', 'f() { local tmp; rm "$tmp/"; }'];
  expect(unasked(others)).toEqual([]);
});

/** Changes that make later commands mean something else than what they show. */
const changes = [
  'readonly a',
  'readonly a=x',
  'declare -r a=x',
  'typeset -gr a',
  'COLUMNS="-rf y"',
  'LINES=rm',
  'export COLUMNS="$(cat f)"',
  'PWD=/data',
  'TMPDIR=/data/other',
  'export TMPDIR="$X"',
  'TMPDIR=/tmp/../data',
  'HOME="rm -rf y"',
  'set -k',
  'set -eko pipefail',
  'set -o keyword',
  "trap 'false' DEBUG",
  "trap '[[ $BASH_COMMAND != a=* ]]' EXIT debug",
];

test.for(changes)('asks about %s, which changes what later commands mean', (command) => {
  expect(unasked([command])).toEqual([]);
});

test.for([
  '$HOME -rf y',
  '${HOME} -rf y',
  '$PWD -rf y',
  '$COLUMNS -rf y',
  '$LINENO -rf y',
  '$? x',
  '"$HOME" x',
  '~ -rf y',
  '~+ x',
  'a=~; $a x',
  'env ~ -rf y',
])('asks about %s, whose program is the value of a variable that an earlier command may have set', (command) => {
  expect(unasked([command])).toEqual([]);
});

test.for(['a=r?; $a -rf y', 'a=/bin/r?; $a -rf y', "a='[r]m'; $a -rf y", 'env /bin/r? -rf y', 'a=r*; env $a -rf y'])(
  'asks about %s, whose program is the name of a file',
  (command) => {
    expect(unasked([command])).toEqual([]);
  },
);

test('does not ask about harmless values of the variables of the shell', () => {
  const commands = [
    'COLUMNS=200 ls',
    'export COLUMNS=80 LINES=24',
    'HOME=/tmp/home npm test',
    'export HOME="$(mktemp -d)"',
    'TMPDIR=/tmp/x npm test',
    // Of a single program only.
    'TMPDIR=~/tmp npm test',
    'TMPDIR=${TMPDIR:-/tmp} COLUMNS=$(tput cols) make',
    'env TMPDIR=/data/other npm test',
    'set -euo pipefail; set -x',
    'set -- -k x',
    'export TMPDIR=$PWD/tmp',
    '$HOME/.cargo/bin/cargo build',
    '"$PWD/run" x',
    '[ -f x ] && [[ -f y ]]',
    "trap 'echo done' EXIT INT",
  ];
  expect(unasked(commands)).toEqual(commands);
});
