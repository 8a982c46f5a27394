import { posix } from 'node:path';
import { filesOfOptions } from '../shell/affected-files.ts';
import { gitCommand } from '../shell/programs/git-command.ts';
import { isLongOption } from '../shell/words/options.ts';
import type { ShellCommand } from '../shell/shell-command.ts';
import { namesProgram } from './program-options.ts';
import { strongest, type Match } from './permission-rule.ts';
import type { PlainCommand } from './plain-commands.ts';
import type { ShellFacts } from './shell-facts.ts';

/** Returns the words of a command rule. */
export function wordsOf(pattern: string): readonly string[] {
  return pattern.split(/\s+/);
}

/**
 * Compares a deny or ask rule with all commands of a script, also with those inside other commands. `maybe` if a part
 * of the script is only known when it runs.
 */
export function matchesScript(pattern: string, { commands, isComplete }: ShellFacts): Match {
  const words = wordsOf(pattern);
  return strongest([...commands.map((one) => matchesCommand(words, one)), isComplete ? 'no' : 'maybe']);
}

function matchesCommand([program = '', ...rest]: readonly string[], one: ShellCommand): Match {
  if (one.name.toLowerCase() !== posix.basename(program).toLowerCase()) return 'no';
  const args = argumentsOf(one).flatMap((arg) => detached(arg, rest));
  const operands = args.filter((arg) => !arg.startsWith('-'));
  const named = rest.filter((word) => !word.startsWith('-'));
  const options = new Set(
    rest.filter((word) => word.startsWith('-')).map((option) => hasOption(option, args, one.name)),
  );
  if (options.has('no') && one.unseenArgs.length === 0) return 'no';
  const isNamed = named.every((word, at) => operands[at] === word);
  if (isNamed && !options.has('maybe') && !options.has('no')) return one.isPossible ? 'maybe' : 'yes';
  // The value of an option may be in front of the words.
  return isNamed || one.unseenArgs.length > 0 || isSubsequence(named, operands) ? 'maybe' : 'no';
}

/** Returns an option with the next word of a rule attached as two words: `-mhttp.server` for `-m http.server`. */
function detached(arg: string, rule: readonly string[]): readonly string[] {
  const at = rule.findIndex((word, index) => /^-\w$/.test(word) && arg === word + (rule[index + 1] ?? ''));
  const long = rule.findIndex((word, index) => /^--\w/.test(word) && arg === `${word}=${rule[index + 1] ?? ''}`);
  const found = rule[Math.max(at, long)];
  return found === undefined || arg === found ? [arg] : [found, arg.replace(found, '').replace(/^=/, '')];
}

/** Programs for which `-r` and `-R` are the same. */
const ignoringCase = /^(?:rm|cp)$/;

/** Returns the arguments; those of git without the options in front of its command. */
function argumentsOf({ name, args }: ShellCommand): readonly string[] {
  if (name !== 'git') return args;
  const read = gitCommand(args.map((text) => ({ text, shown: text })));
  return read ? [read.name, ...read.args.map(({ shown }) => shown)] : args;
}

/** Options may be written in clusters, and long ones abbreviated; whether two spellings mean the same is not known. */
function hasOption(option: string, args: readonly string[], program: string): Match {
  if (args.includes(option)) return 'yes';
  if (option.startsWith('--')) {
    if (args.some((arg) => isLongOption(arg, option.split('=', 1)[0] ?? option))) return 'yes';
    return args.some((arg) => /^-[^-]/.test(arg)) ? 'maybe' : 'no';
  }
  const written = args.filter((arg) => /^-[^-]/.test(arg)).join('');
  const letters = ignoringCase.test(program) ? written.replaceAll('R', 'r') + written : written;
  if (option.split('').every((letter) => letters.includes(letter))) return 'yes';
  return args.some((arg) => arg.startsWith('--')) ? 'maybe' : 'no';
}

function isSubsequence(words: readonly string[], all: readonly string[]): boolean {
  let at = 0;
  for (const word of all) if (word === words[at]) at++;
  return at === words.length;
}

/**
 * Reports whether allow rules cover all commands of a script, which must be plain and completely known. A command that
 * another one runs needs a rule of its own, unless the rule of that one names it: `npx vitest` covers `vitest` there.
 * With `isHigh`, a rule must be the whole command, and so it must for a command with an option that names a file to
 * write. A rule must contain the arguments that name a program to run.
 */
export function coversCommands(
  patterns: readonly string[],
  { plain, commands, isComplete }: ShellFacts,
  isHigh: boolean,
): boolean {
  if (!plain || !isComplete) return false;
  const rules = patterns.map(wordsOf);
  const used = new Set<readonly string[]>();
  for (const { words } of plain) {
    const [program = '', ...args] = words;
    const isWhole = isHigh || filesOfOptions({ name: posix.basename(program), args }).length > 0;
    const covering = rules.filter(
      (rule) =>
        isPrefix(rule, words) &&
        (!isWhole || rule.length === words.length) &&
        !namesProgram(posix.basename(program), words.slice(rule.length)),
    );
    if (covering.length === 0) return false;
    for (const rule of covering) used.add(rule);
  }
  const tops = new Set(plain.map(keyOf));
  const carried = commands.map(({ name, args }) => [name, ...args]).filter((words) => !tops.has(JSON.stringify(words)));
  const tails = [...used].flatMap((rule) => rule.map((_, at) => rule.slice(at)));
  return carried.every((words) => [...rules, ...tails].some((rule) => isPrefix(rule, words)));
}

function keyOf({ words: [program = '', ...args] }: PlainCommand): string {
  return JSON.stringify([posix.basename(program), ...args]);
}

function isPrefix(rule: readonly string[], words: readonly string[]): boolean {
  return rule.every((word, at) => words[at] === word);
}
