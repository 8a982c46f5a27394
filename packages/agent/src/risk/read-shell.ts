import { basename } from 'node:path';
import { forEachChild, parse, type Command, type SyntaxNode, type Word, type WordPart } from 'unbash';
import { carriedBy, type ShellWord } from './unwrap-command.ts';

/** A simple command anywhere in a script, also inside another command: `rm` in `sudo xargs rm`. */
export interface ShellCommand {
  /** Program name without its directory. */
  readonly name: string;
  /** Arguments as the program receives them; variables and substitutions are left in their own syntax. */
  readonly args: readonly string[];
  /** True if an argument is only known when the command runs. */
  readonly hasUnseenArgs: boolean;
  /** Files to which its output or errors are redirected. */
  readonly writes: readonly string[];
  /** Names of the commands that read its output. */
  readonly feeds: readonly string[];
}

/** Commands of a script, as far as they are known without running it. */
export interface ShellReading {
  readonly commands: readonly ShellCommand[];
  /**
   * True if `commands` is complete. False for invalid syntax, and for commands that are only known when the script
   * runs.
   */
  readonly isWhole: boolean;
}

/** Maximum depth of scripts inside scripts. */
const deepest = 8;

/** Reads a shell script: quotes, pipes, substitutions, functions, and the scripts inside its arguments. */
export function readShell(source: string): ShellReading {
  const reader = new Reader();
  reader.script(source, [], 0);
  return { commands: reader.commands, isWhole: reader.isWhole };
}

class Reader {
  readonly commands: ShellCommand[] = [];
  isWhole = true;

  script(source: string, feeds: readonly string[], depth: number): void {
    if (depth > deepest) {
      this.isWhole = false;
      return;
    }
    const parsed = parse(source);
    if (parsed.errors && parsed.errors.length > 0) this.isWhole = false;
    this.#visit(parsed, feeds, depth);
  }

  #visit(node: SyntaxNode, feeds: readonly string[], depth: number): void {
    if (node.type === 'Command') return this.#command(node, feeds, depth);
    if (node.type === 'Pipeline') {
      for (const [index, command] of node.commands.entries()) {
        const later = node.commands
          .slice(index + 1)
          .flatMap((next) => (next.type === 'Command' ? namesIn(wordsOf(next)) : []));
        this.#visit(command, [...later, ...feeds], depth);
      }
      return;
    }
    forEachChild(node, (child) => this.#visit(child, feeds, depth));
  }

  #command(command: Command, feeds: readonly string[], depth: number): void {
    const words = wordsOf(command);
    const writes = command.redirects.flatMap((one) =>
      one.type === 'Redirect' && one.operator.includes('>') && one.target ? [one.target.value] : [],
    );
    this.#words(words, { feeds, writes, depth });
    // The output of substitutions is input of this command: `bash <(curl …)`, `eval "$(curl …)"`.
    const into = [...namesIn(words), ...feeds];
    forEachChild(command, (child) => this.#visit(child, into, depth));
  }

  #words(words: readonly ShownWord[], context: CommandContext): void {
    const [verb, ...args] = words;
    if (!verb) return;
    if (verb.text === undefined) {
      this.isWhole = false;
      return;
    }
    const name = basename(verb.text);
    const { feeds, writes, depth } = context;
    const hasUnseenArgs = args.some(({ text }) => text === undefined);
    this.commands.push({ name, args: args.map(({ shown }) => shown), hasUnseenArgs, writes, feeds });
    for (const carried of depth < deepest ? carriedBy(name, args) : [{ kind: 'unseen' as const }]) {
      if (carried.kind === 'unseen') this.isWhole = false;
      else if (carried.kind === 'script') this.script(carried.source, feeds, depth + 1);
      else this.#words(carried.words, { ...context, depth: depth + 1 });
    }
  }
}

interface CommandContext {
  readonly feeds: readonly string[];
  readonly writes: readonly string[];
  readonly depth: number;
}

interface ShownWord extends ShellWord {
  /** Source text when the value is not known. */
  readonly shown: string;
}

function wordsOf(command: Command): readonly ShownWord[] {
  const words = command.name ? [command.name, ...command.args] : [];
  return words.map((word) => {
    if (word.type !== 'Word') return { text: word.text, shown: word.text };
    return { shown: word.value, text: isSeen(word, word === command.name) ? word.value : undefined };
  });
}

/** Returns the names of the programs that a command runs: its own, and those of the commands in its arguments. */
function namesIn([verb, ...args]: readonly ShellWord[], depth = 0): readonly string[] {
  if (verb?.text === undefined || depth > deepest) return [];
  const name = basename(verb.text);
  const inner = carriedBy(name, args).flatMap((one) => (one.kind === 'words' ? namesIn(one.words, depth + 1) : []));
  return [name, ...inner];
}

/** Reports whether a word is known before the command runs. A file pattern is, unless it is the command itself. */
function isSeen({ parts }: Word, isVerb: boolean): boolean {
  return (parts ?? []).every((part) => isSeenPart(part, isVerb));
}

function isSeenPart(part: WordPart, isVerb: boolean): boolean {
  if (part.type === 'Literal' || part.type === 'SingleQuoted' || part.type === 'AnsiCQuoted') return true;
  if (part.type === 'DoubleQuoted' || part.type === 'LocaleString') {
    return part.parts.every((child) => isSeenPart(child, isVerb));
  }
  return part.type === 'Glob' && !isVerb;
}
