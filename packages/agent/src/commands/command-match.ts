import { posix } from 'node:path';
import { isShellWithScript, type PlainCommand } from './plain-commands.ts';

/** Reports how a rule relates to a call: `maybe` if that is only known when the call runs. */
export type Match = 'yes' | 'maybe' | 'no';

/** Returns the strongest of some matches. */
export function strongest(matches: readonly Match[]): Match {
  return (['yes', 'maybe'] as const).find((match) => matches.includes(match)) ?? 'no';
}

/** Returns the words of a command pattern; `*` at its end means any further words, which it matches anyway. */
export function wordsOf(pattern: string): readonly string[] {
  const words = pattern.split(/\s+/);
  return words.length > 1 && words.at(-1) === '*' ? words.slice(0, -1) : words;
}

/**
 * Compares a pattern with a command: the program, then the first words that are no options, and the options anywhere.
 * `maybe` if the words follow another program, which may run them: `sudo git push`, `xargs rm`, or if a text of several
 * words contains them: `git -c alias.p='!git push' p`.
 */
export function matchesCommand(pattern: string, { words }: PlainCommand): Match {
  const rule = wordsOf(pattern);
  if (startsLike(rule, words)) return 'yes';
  const isNamed = words.some((_, at) => at > 0 && startsLike(rule, words.slice(at)));
  return isNamed || words.some((word) => mentions(word, rule)) ? 'maybe' : 'no';
}

/** Reports whether a text contains the program of a rule, and after it the other words that are no options. */
function mentions(text: string, [program = '', ...rest]: readonly string[]): boolean {
  if (!/[\s;|&!("']/.test(text)) return false;
  const words = text.split(/[^\w.:@+-]+/);
  const at = words.findIndex((word) => word.toLowerCase() === posix.basename(program).toLowerCase());
  return at >= 0 && rest.every((word) => isOption(word) || words.includes(word, at + 1));
}

function startsLike([program = '', ...rest]: readonly string[], [name = '', ...args]: readonly string[]): boolean {
  if (posix.basename(name).toLowerCase() !== posix.basename(program).toLowerCase()) return false;
  if (!rest.filter(isOption).every((option) => hasOption(option, args))) return false;
  const named = rest.filter((word) => !isOption(word));
  const operands = args.filter((arg) => !isOption(arg));
  // Options in front of the first word may have a value: `git -C sub push`.
  const before = args.findIndex((arg) => !isOption(arg));
  const starts = Array.from({ length: Math.max(0, before) + 1 }, (_, at) => at);
  return starts.some((start) => named.every((word, at) => operands[start + at] === word));
}

function isOption(word: string): boolean {
  return word.startsWith('-');
}

/** Options of one letter may be written in clusters. */
function hasOption(option: string, args: readonly string[]): boolean {
  if (args.some((arg) => arg === option || arg.startsWith(`${option}=`))) return true;
  if (option.startsWith('--')) return false;
  const letters = args.filter((arg) => /^-[^-]/.test(arg)).join('');
  return Array.from(option.slice(1)).every((letter) => letters.includes(letter));
}

/** Options that name a program to run or a file to write. */
const powerful =
  /^(?:-[oOcCeE]|--(?:config|eval|exec|ext-diff|open-files-in-pager|output|pre|receive-pack|rsh|to-command|upload-pack)\b)/;

/**
 * Reports whether allow rules cover all commands: each must begin with the words of a rule, and the rule must contain
 * the options that name a program to run or a file to write. Words with wildcards can become anything.
 */
export function coversCommands(patterns: readonly string[], plain: readonly PlainCommand[]): boolean {
  const rules = patterns.map(wordsOf);
  return plain.every(
    ({ words, isOpen }) =>
      // Its script is compared by its own commands.
      isShellWithScript(words) ||
      (isOpen !== true &&
        rules.some(
          (rule) =>
            rule.every((word, at) => words[at] === word) &&
            !words.slice(rule.length).some((word) => powerful.test(word)),
        )),
  );
}
