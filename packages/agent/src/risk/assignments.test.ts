import { expect, test } from 'vitest';
import { TerminalAction } from '@varve/events/payloads';
import { confirmRisky } from '../confirmation/confirm-risky.ts';
import { countingTool } from '../testing/counting-tool.ts';
import { shellRisk } from './shell-risk.ts';

const policy = confirmRisky({ analyzer: shellRisk() });
const tool = countingTool().tool();
const review = (command: string) =>
  policy.review({ tool, action: TerminalAction.create({ command }), risk: 'LOW', workspace: '/data/me/project' });
const unasked = (commands: readonly string[]) => commands.filter((command) => !review(command).asks);

/** Every construct that gives a variable a text. */
const texts: readonly ((name: string) => string)[] = [
  (name) => `${name}="$(cat f)"`,
  (name) => `${name}+=x`,
  (name) => `${name}[0]=x`,
  (name) => `${name}=(x y)`,
  (name) => `declare ${name}=x`,
  (name) => `export ${name}="$(cat f)"`,
  (name) => `for ${name} in x y; do :; done`,
  (name) => `for ${name}; do :; done`,
  (name) => `for ${name} in "$@"; do :; done`,
  (name) => `select ${name} in x y; do :; done`,
  (name) => `read ${name} < f`,
  (name) => `read -r -- first ${name} < f`,
  (name) => `read -d '' -n1 ${name} < f`,
  (name) => `read -ra ${name} < f`,
  (name) => `read -ra${name} < f`,
  (name) => `cat f | while IFS= read -r ${name}; do :; done`,
  (name) => `builtin read ${name} < f`,
  (name) => `mapfile -t ${name} < f`,
  (name) => `mapfile ${name} -t < f`,
  (name) => `readarray -n 1 ${name} < f`,
  (name) => `printf -v ${name} %s x`,
  (name) => `getopts x ${name}`,
  (name) => `getopts -- x ${name} -x`,
  (name) => `: "\${${name}:=x}"`,
  (name) => `: "\${${name}=x}"`,
  (name) => `f() { for ${name} in x; do ls; done; }`,
];

/** Every construct that gives a variable a number. */
const numbers: readonly ((name: string) => string)[] = [
  (name) => `exec {${name}}>f`,
  (name) => `{ ls; } {${name}}>f`,
  (name) => `sleep 1 & wait -n -p ${name}`,
  (name) => `sleep 1 & wait -fnp${name}`,
  (name) => `coproc ${name} { :; }`,
  (name) => `let ${name}=1`,
  (name) => `(( ${name} = 1 ))`,
];

test.for(['PATH', 'PROMPT_COMMAND', 'BASH_ENV', 'LD_PRELOAD', 'GIT_SSH_COMMAND', 'NODE_OPTIONS'])(
  'asks about every construct that sets %s',
  (name) => {
    expect(unasked([...texts, ...numbers].map((command) => command(name)))).toEqual([]);
  },
);

test.for(['RANDOM', 'SRANDOM', 'OPTIND', 'HISTCMD'])(
  'asks about every construct that sets %s, which bash calculates, unless to a number',
  (name) => {
    expect(unasked(texts.map((command) => command(name)))).toEqual([]);
    const harmless = [...numbers.map((command) => command(name)), `${name}=1`, `for ${name} in 1 2; do :; done`];
    expect(unasked(harmless)).toEqual(harmless);
  },
);

const hidden = "'x[$(rm -rf y)]'";

test.for([
  `for OPTIND in ${hidden}; do :; done`,
  `RANDOM=${hidden}`,
  `ls {x['$(rm -rf y)']}>f`,
  'ls {x[a]}>f',
  'exec {x[a]}<&-',
  'cat {x[a]}<<< text',
  `sleep 1 & wait -n -p ${hidden}`,
  `sleep 1 & wait -np${hidden}`,
  `builtin wait -n -p ${hidden}`,
  `read -a ${hidden} < f`,
  `read -a${hidden} < f`,
  'read x < f; y=([x]=1)',
  'read x < f; y+=([x]=1)',
  'read x < f; declare -a y=([x]=1)',
  'read x < f; local -a y=([x]+=1)',
  'read x < f; : ${!y[x]}',
  'declare -i x; read x < f',
  'local -i x=$(cat f)',
  'typeset -ri x=$(cat f)',
  'jobs -x rm -rf y',
  'jobs -x "$X"',
  'jobs -lx sh -c "rm -rf y"',
  'jobs $X',
])('asks about %s', (command) => {
  expect(unasked([command])).toEqual([]);
});

test.for([
  'while getopts "ab:" opt; do echo $opt; done; shift $((OPTIND-1)); ls "$@"',
  'while IFS= read -r line; do echo "$line"; done < f',
  'IFS=, read -ra parts <<< "$x"',
  'read -p "PATH: " -t 5 -n 1 name < f',
  'mapfile -t files < <(ls)',
  ': "${FOO:=bar}"',
  'wait $pid; wait -n; wait -n -p done',
  'declare -A names=([a]=1 [b]=2)',
  'local -A names=([a]=1)',
  'names=([0]=a [1]=b c)',
  'echo ${!names[@]}',
  'x=$((RANDOM % 10)); RANDOM=42; OPTIND=1',
  'exec 3>f; exec {fd}>f; exec {fd}>&-; exec {fds[0]}>f',
  'select x in a b; do break; done',
  'for message in "rm -rf is dangerous"; do echo "$message"; done',
  'jobs; jobs -l %1',
  'let i=1',
])('does not ask about %s', (command) => {
  expect(unasked([command])).toEqual([command]);
});
