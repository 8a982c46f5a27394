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

/** Every construct that assigns text to a variable. */
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

/** Every construct that assigns a number to a variable. */
const numbers: readonly ((name: string) => string)[] = [
  (name) => `exec {${name}}>f`,
  (name) => `{ ls; } {${name}}>f`,
  (name) => `sleep 1 & wait -n -p ${name}`,
  (name) => `sleep 1 & wait -fnp${name}`,
  (name) => `coproc ${name} { :; }`,
  (name) => `let ${name}=1`,
  (name) => `(( ${name} = 1 ))`,
];

test.for([
  'PATH',
  'PROMPT_COMMAND',
  'BASH_ENV',
  'LD_PRELOAD',
  'GIT_SSH_COMMAND',
  'NODE_OPTIONS',
  'BASH_CMDS',
  'BASH_ALIASES',
])('asks about every construct that sets %s', (name) => {
  expect(unasked([...texts, ...numbers].map((command) => command(name)))).toEqual([]);
});

test.for(['RANDOM', 'SRANDOM', 'OPTIND', 'HISTCMD', 'MAILCHECK'])(
  'asks about every construct that sets %s, which bash calculates, unless to a number',
  (name) => {
    expect(unasked(texts.map((command) => command(name)))).toEqual([]);
    const harmless = [...numbers.map((command) => command(name)), `${name}=1`, `for ${name} in 1 2; do :; done`];
    expect(unasked(harmless)).toEqual(harmless);
  },
);

/** Variables whose value is expanded, is code, or names a program, with one that is harmless. */
test.for([
  ['MAILPATH', '/var/mail/me', 'f?$(./x)'],
  ['SVN_EDITOR', 'vim', './x'],
  ['AWS_PAGER', '', './x'],
  ['GIT_COMMON_DIR', '', './x'],
  ['SVN_SSH', 'ssh', './x'],
  ['GCONV_PATH', '/usr/lib/gconv', './x'],
  ['OPENSSL_CONF', '/dev/null', './x'],
  ['CMAKE_C_COMPILER_LAUNCHER', 'ccache', './x'],
  ['npm_config_git', '', './x'],
  ['VIMINIT', '', ':!./x'],
  ['LUA_INIT', '', '@x'],
  ['ERL_FLAGS', '', '-s x'],
  ['MAKEFLAGS', '-j 4 --no-print-directory', '--eval=x:=$(shell ./x)'],
  ['LESS', '-FRX', '+!./x'],
  ['FZF_DEFAULT_OPTS', '--height=40%', '--bind=start:execute:./x'],
  ['PYTHONWARNINGS', 'ignore::DeprecationWarning', 'all:0:antigravity.x:0:0'],
  ['DBUS_SESSION_BUS_ADDRESS', 'unix:path=/run/bus', 'unixexec:path=./x'],
  ['DBUS_SESSION_BUS_ADDRESS', '/dev/null', 'unix:path=/x;unixexec:path=./x'],
  ['MAVEN_OPTS', '-Xmx2g -XX:+UseG1GC', '-XX:OnOutOfMemoryError=./x'],
  [
    'MAVEN_OPTS',
    '-Dmaven.repo.local=/tmp/m2 --add-opens java.base/java.lang=ALL-UNNAMED',
    '-Dmaven.ext.class.path=x.jar',
  ],
  ['JAVA_OPTS', '-server -ea -Djava.security.egd=file:/dev/./urandom', '-javaagent:x.jar'],
  ['JAVA_TOOL_OPTIONS', '-Xmx2g', '-javaagent:x.jar'],
  ['OPENSSL_CONF', '/etc/ssl/openssl.cnf', '/usr/../data/me/project/x'],
  ['OPENSSL_MODULES', '/usr/lib/ossl-modules', '/etcetera/x'],
  ['ELIXIR_ERL_OPTIONS', '+fnu', '+fnu -s x'],
  ['ERL_AFLAGS', '+S 4:4 +sbwt none -kernel shell_history enabled', '-kernel logger x'],
  ['PYTHONBREAKPOINT', 'ipdb.set_trace', 'x.y'],
  ['CMAKE_CXX_COMPILER_LAUNCHER', '/usr/bin/ccache', '/usr/bin/../../x'],
] as const)('asks about %s, unless its value is harmless', ([name, harmless, harmful]) => {
  const set = (value: string) => [
    `${name}='${value}' make`,
    `export ${name}='${value}'`,
    `env ${name}='${value}' make`,
  ];
  expect(unasked(set(harmful))).toEqual([]);
  expect(unasked(set(harmless))).toEqual(set(harmless));
});

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
  // The text of an array is read once more.
  'declare -a x="$(cat f)"',
  'declare -A x="$(cat f)"',
  'local -a x=$y',
  'readonly -a x="$y"',
  `typeset -a x='($(./x))'`,
  `declare -a 'x=($(./x))'`,
  `builtin declare -a 'x=($(./x))'`,
  `declare -a x='(\`./x\`)'`,
  'declare -a x="($y)"',
  'export -a x="$y"',
  'x=(); declare x="$y"',
  'x[0]=a; declare x="$y"',
  'mapfile -t x < f; local x=$y',
  'declare -a x; f() { local x="$(cat f)"; }',
  // So is a file after `>&`.
  `echo >&'$(rm -rf y)'`,
  `echo >& '\`./x\`'`,
  'echo >&"d/$y"',
  "x='$({rm,-rf,y})'; { echo; } >&$x",
  'for x in *; do echo >&"$x"; done',
  // The aliases and the programs that names stand for.
  'BASH_CMDS=(ls ./x)',
  'BASH_ALIASES+=(ls ./x)',
  'declare -A BASH_CMDS=([ls]=./x)',
  'history -r f; fc -ls',
  'fc -l -s a=b',
  'compgen -V x -W a',
  'history -w ~/.bashrc',
  'history -a /etc/profile',
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
  'f() { local a="(b c)" d=$(pwd) h="($d)"; declare -x e="$(cat f)"; local -a g=("$@"); }',
  'x=(a b); local y="$(cat f)"',
  'export NAME="(a) $NAME"',
  'echo x >&2; echo x 2>&1 >&-; echo x >& out.log; make >&"build.log"',
  'fc -l; fc -ln -5; history; history 5; history -c; history -w x.log',
  'MAKEFLAGS="-j$(nproc)" make; MAKEFLAGS="-j $(nproc)" make',
])('does not ask about %s', (command) => {
  expect(unasked([command])).toEqual([command]);
});
