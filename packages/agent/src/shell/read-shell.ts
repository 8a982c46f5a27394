import { basename } from 'node:path';
import {
  forEachChild,
  parse,
  type Assignment,
  type Command,
  type Pipeline,
  type Redirection,
  type SyntaxNode,
  type Word,
} from 'unbash';
import { isCutOff } from './words/broken-syntax.ts';
import { isReported, type Certainty } from './words/certainty.ts';
import { CertainAssignments } from './variables/certain-assignments.ts';
import { readElements } from './variables/declarations.ts';
import { Directories } from './directories.ts';
import { declaresAssociative, descriptorWords, evaluatesText, isNumber } from './variables/arithmetic.ts';
import type { NestedCommand } from './programs/nested-command.ts';
import { nestedCommands } from './nested-commands.ts';
import { inputOf, startsPrograms } from './words/input-texts.ts';
import { limits, Work } from './words/limits.ts';
import { isInert } from './programs/named-programs.ts';
import { possibleCommands } from './programs/possible-commands.ts';
import { programNames } from './program-names.ts';
import { expandsAgain, isInput } from './words/redirections.ts';
import type { ShellCommand } from './shell-command.ts';
import type { ShellWords } from './words/shell-word.ts';
import { unknownAssignment, unknownLater } from './words/special-variables.ts';
import type { Unknown, UnknownKind } from './words/unknowns.ts';
import { isInKnownDirectory } from './programs/unseen-arguments.ts';
import { assignedBy, Variables } from './variables/variables.ts';
import { expandWord, hasPattern, hasResult, valuesOfWord } from './words/words.ts';
import { wrapperOf } from './programs/wrappers.ts';

/** Commands of a script, as far as they are known without running it. */
export interface ShellReading {
  readonly commands: readonly ShellCommand[];
  /** Parts that are not known before the script runs; without any, `commands` is complete. */
  readonly unknowns: readonly Unknown[];
  /** True if it is too long, and not all of it was read. */
  readonly isCut: boolean;
  /** Directories in which its commands may run, and in which it may end. */
  readonly directories: readonly string[];
  /** Syntax nodes and characters that were visited. */
  readonly work: number;
}

/**
 * Reads a shell script: quotes, pipes, redirections, substitutions, functions, variables with literal values, and the
 * scripts inside its arguments. The work is limited, and linear in the length of the script. `starts` are the
 * directories other than the workspace in which it may start.
 */
export function readShell(source: string, workspace?: string, starts: readonly string[] = []): ShellReading {
  const variables = new Variables();
  let reader = new Reader(workspace, starts, variables);
  reader.read(source);
  // A script in an argument may assign to a variable that a command before it uses, in a loop or a function.
  for (let pass = 1; reader.hasLateAssignments && !reader.isCut && pass < limits.passes; pass++) {
    reader = new Reader(workspace, starts, variables);
    reader.read(source);
  }
  reader.end();
  const { commands, unknowns, isCut, directories, work } = reader;
  return { commands, unknowns: [...unknowns.values()], isCut, directories, work };
}

/** Surroundings of a node. */
interface Context {
  /** Names of the commands that read its output. */
  readonly feeds: readonly string[];
  /** Words of the commands whose output it reads. */
  readonly items: ShellWords;
  /** Texts of the script that it may read. */
  readonly texts: readonly string[];
  readonly hasInput: boolean;
  readonly certainty: Certainty;
  /** Depth of scripts inside scripts. */
  readonly depth: number;
}

type Redirected = Pick<ShellCommand, 'reads' | 'writes'>;

class Reader {
  readonly commands: ShellCommand[] = [];
  readonly unknowns = new Map<string, Unknown>();
  isCut = false;
  readonly #directories: Directories;
  readonly #paths: ShellCommand['paths'];
  readonly #variables: Variables;
  readonly #work = new Work();
  /** Assignments whose subscripts are text. */
  readonly #associative = new WeakSet<SyntaxNode>();
  /** Assignments for one program, `NAME=value program`. */
  readonly #temporary = new WeakSet<SyntaxNode>();
  #nesting = 0;
  #changes = 0;

  constructor(workspace: string | undefined, starts: readonly string[], variables: Variables) {
    this.#directories = new Directories(starts);
    this.#paths = { directories: this.#directories.all, ...(workspace !== undefined && { workspace }) };
    this.#variables = variables;
  }

  /** True if variables got values after commands before them were read. */
  get hasLateAssignments(): boolean {
    return this.#variables.changes > this.#changes;
  }

  /** Ends the reading: with late assignments that are still new, not all values are known. */
  end(): void {
    if (this.hasLateAssignments) this.#tooLong();
  }

  get directories(): readonly string[] {
    return [...this.#directories.all];
  }

  get work(): number {
    return this.#work.done;
  }

  read(source: string): void {
    try {
      this.script(source, { feeds: [], items: [], texts: [], hasInput: false, certainty: 'runs', depth: 0 });
    } catch (error) {
      // The parser has no limit of its own for every kind of nesting: `coproc coproc …` overflows the stack.
      if (!(error instanceof RangeError)) throw error;
      this.#tooLong();
    }
  }

  script(source: string, context: Context): void {
    if (!this.#work.spend(source.length)) return this.#tooLong();
    if (context.depth > limits.scripts) return this.#unknown('unknown.size', 'Scripts in scripts', context);
    const parsed = parse(source);
    new CertainAssignments(this.#variables, (node) => this.#work.visit(node)).readScript(parsed, source);
    if (context.depth === 0) this.#changes = this.#variables.changes;
    this.#visit(parsed, context);
  }

  #visit(node: SyntaxNode, context: Context): void {
    if (this.isCut) return;
    if (!this.#work.visit(node) || this.#nesting > limits.nesting) return this.#tooLong();
    this.#nesting++;
    this.#read(node, context);
    this.#nesting--;
  }

  #read(node: SyntaxNode, context: Context): void {
    if (isCutOff(node)) this.#unknown('unknown.syntax', textOf(node), context);
    if (!this.#associative.has(node) && evaluatesText(node, this.#variables))
      this.#unknown('unknown.arithmetic', textOf(node), context);
    const assigned = assignedBy(node);
    if (assigned) for (const value of assigned.values) this.#assigned(assigned.name, value, context);
    if (node.type === 'Pipeline') return this.#pipeline(node, context);
    if (node.type === 'Command') return this.#command(node, context);
    if (node.type === 'Redirected') {
      this.#redirections(node.redirects, [], context);
      const hasInput = context.hasInput || node.redirects.some(isInput);
      return this.#children(node, { ...context, hasInput, texts: [...context.texts, ...inputOf(node)] });
    }
    if (node.type === 'Script' && 'errors' in node && node.errors?.length) {
      this.#unknown('unknown.syntax', node.errors[0]?.message ?? '', context);
    }
    if (node.type === 'Assignment') this.#assignment(node, context);
    // A function of this name changes what the rest of the script means.
    if (node.type === 'Function' && (wrapperOf(node.name.text) || isInert(node.name.text))) {
      this.#unknown('unknown.later', `${node.name.text}()`, context);
    }
    return this.#children(node, context);
  }

  #children(node: SyntaxNode, context: Context): void {
    forEachChild(node, (child) => {
      this.#visit(child, context);
    });
  }

  #pipeline({ commands, prefixes }: Pipeline, context: Context): void {
    if (commands.length > limits.stages) return this.#tooLong();
    for (const prefix of prefixes) this.#visit(prefix, context);
    let { items, texts } = context;
    const stages = commands.map((command) => this.#stage(command));
    const names = stages.map((stage) => stage.names);
    for (const [index, command] of commands.entries()) {
      const feeds = [...names.slice(index + 1).flat(), ...context.feeds];
      this.#visit(command, { ...context, feeds, items, texts, hasInput: context.hasInput || index > 0 });
      texts = [...texts, ...(stages[index]?.texts ?? [])].slice(-limits.items);
      if (command.type === 'Command') items = [...items, ...this.#wordsOf(command)].slice(-limits.items);
    }
  }

  #command(command: Command, context: Context): void {
    const words = this.#wordsOf(command);
    const redirected = this.#redirections(command.redirects, words, context);
    const hasInput = context.hasInput || command.redirects.some(isInput);
    const texts = [...context.texts, ...inputOf(command)];
    if (words.length > 0) this.#words(words, { ...context, hasInput, texts }, redirected);
    // Variables that may have another value, or none, may also have the values that the script assigns.
    const assigned = words.some(({ text }) => text === undefined) ? this.#wordsOf(command, 'assignedTo') : words;
    if (shownOf(assigned) !== shownOf(words)) this.#words(assigned, { ...context, hasInput, texts }, redirected);
    for (const { text } of descriptorWords(command)) this.#unknown('unknown.arithmetic', text, context);
    for (const text of readElements(command, words, this.#variables)) this.#unknown('unknown.later', text, context);
    if (command.name) for (const one of command.prefix) this.#temporary.add(one);
    if (declaresAssociative(words)) for (const word of command.args) this.#associative.add(word);
    // The output of substitutions is input of this command: `bash <(curl …)`, `eval "$(curl …)"`.
    const feeds = [...new Set([...programNames(words), ...context.feeds])];
    this.#children(command, { ...context, feeds });
  }

  /** Reads a command with its arguments, and what it runs through them. */
  #words(words: ShellWords, context: Context, redirected: Redirected = { writes: [], reads: [] }): void {
    const [verb, ...args] = words;
    if (!verb || this.isCut) return;
    // `!rm` repeats an earlier command, a pattern in a variable becomes the names of files, and `~` any value of HOME.
    if (verb.text === undefined || verb.isOneOf || /^!.|^~[-+]?$|^(?!\[{1,2}$).*[*?[]/.test(verb.text))
      return this.#unseenCommand(words, context);
    if (context.depth > limits.scripts || !this.#work.spend(words.length)) return this.#tooLong();
    const name = basename(verb.text);
    this.#variables.addCommand(name, args);
    const file = verb.text.includes('/') && { file: verb.text };
    this.#push({ name, ...file, ...argumentsOf(args), ...redirected }, context);
    if (startsPrograms(name, context.texts)) this.#unknown('unknown.code', name, context);
    const { items } = context;
    const hasInput = context.hasInput || args.some(({ text }) => text?.startsWith('/dev/fd/'));
    const deeper = { ...context, hasInput, depth: context.depth + 1 };
    for (const nested of nestedCommands(name, args, {
      items,
      hasInput,
      isNumber: (text) => isNumber(text, this.#variables),
    })) {
      if (!this.#work.spend(1)) return this.#tooLong();
      this.#nested(nested, deeper);
    }
  }

  /** Reports a command whose program is not known. In text that may not run, only its arguments are of interest. */
  #unseenCommand(words: ShellWords, context: Context): void {
    this.#unknown('unknown.command', shownOf(words), context);
    if (context.certainty !== 'text' || context.depth > limits.scripts) return;
    const input = { ...context, isNumber: () => false };
    for (const nested of possibleCommands(words.slice(1), input)) {
      if (!this.#work.spend(1)) return this.#tooLong();
      this.#nested(nested, { ...context, depth: context.depth + 1 });
    }
  }

  #nested(nested: NestedCommand, context: Context): void {
    switch (nested.kind) {
      case 'words':
        return this.#words(nested.words, context);
      case 'script':
        return this.script(nested.source, context);
      case 'possible':
        return this.#words(nested.words, {
          ...context,
          certainty: context.certainty === 'runs' ? 'may-run' : context.certainty,
        });
      case 'possible-script':
        return this.script(nested.source, { ...context, certainty: 'text' });
      case 'directory':
        return this.#directories.change(nested.path) ? undefined : this.#tooLong();
      case 'unknown':
        return this.#unknown(nested.unknown.kind, nested.unknown.text, context);
    }
  }

  /** Returns the files that a command without a program, or with these words, reads and writes through redirections. */
  #redirections(all: readonly Redirection[], words: ShellWords, context: Context): Redirected {
    for (const one of all)
      if (expandsAgain(one, this.#variables.valuesOf)) this.#unknown('unknown.later', textOf(one), context);
    const targets = all.flatMap((one) =>
      one.type === 'Redirect' && one.operator.includes('>') && one.target ? [one.target] : [],
    );
    const writes = targets.flatMap((target) => {
      const values = valuesOfWord(target, this.#variables.valuesOf);
      if (values) return values;
      // Within a known directory any file may be written.
      if (!isInKnownDirectory(target.value)) this.#unknown('unknown.target', `> ${target.value}`, context);
      return valuesOfWord(target, this.#variables.assignedTo) ?? [target.value];
    });
    const reads = all.flatMap((one) =>
      one.type === 'Redirect' && one.operator.startsWith('<') && one.target
        ? (valuesOfWord(one.target, this.#variables.valuesOf) ?? [one.target.value])
        : [],
    );
    if (words[0]?.text === undefined && writes.length + reads.length > 0)
      this.#push({ name: '', ...argumentsOf([]), writes, reads }, context);
    return { writes, reads };
  }

  #push(
    command: Omit<ShellCommand, 'feeds' | 'inputs' | 'isPossible' | 'paths'>,
    { feeds, texts, certainty }: Context,
  ): void {
    if (this.commands.length >= limits.commands) return this.#tooLong();
    this.commands.push({ ...command, feeds, inputs: texts, isPossible: certainty !== 'runs', paths: this.#paths });
  }

  #assignment(node: Assignment, context: Context): void {
    const { name, value } = node;
    const reason = this.#temporary.has(node) ? unknownAssignment : unknownLater;
    const words = value.type === 'Word' ? [value] : value.elements;
    for (const word of words) {
      for (const text of this.#assigned(name, word, context, reason)) {
        // The text may be run later: `X='rm -rf y'`.
        if (text?.includes(' ')) this.script(text, { ...context, certainty: 'text', depth: context.depth + 1 });
      }
    }
  }

  /** Reads a value that a variable gets, and returns what it may be. */
  #assigned(
    name: string,
    value: Word | string | undefined,
    context: Context,
    reason = unknownLater,
  ): readonly (string | undefined)[] {
    const known = typeof value === 'object' ? this.#valuesFor(name, value) : value === undefined ? value : [value];
    const values = known ?? [undefined];
    for (const text of values) {
      const found = reason(name, text);
      if (found) this.#unknown(found.kind, found.text, context);
    }
    return values;
  }

  #valuesFor(name: string, word: Word): readonly string[] | undefined {
    return name === 'PATH' ? [word.value] : valuesOfWord(word, this.#variables.valuesOf);
  }

  #wordsOf(command: Command, values: 'valuesOf' | 'assignedTo' = 'valuesOf'): ShellWords {
    if (!command.name) return [];
    const lookup = this.#variables[values];
    const isUnseen = hasPattern(command.name) || hasResult(command.name) || this.#variables.isOwnValue(command.name);
    const verb: ShellWords = isUnseen
      ? [{ text: undefined, shown: command.name.value }]
      : expandWord(command.name, lookup);
    return [
      ...verb,
      ...command.args.flatMap((word): ShellWords => {
        // The values of assignments are read with the assignments.
        return word.type === 'Word' ? expandWord(word, lookup) : [{ text: word.name, shown: word.text }];
      }),
    ];
  }

  /** Returns the names of all programs in a stage of a pipeline, and the texts that they may print. */
  #stage(node: SyntaxNode): { readonly names: readonly string[]; readonly texts: readonly string[] } {
    const found = new Set<string>();
    const texts: string[] = [];
    const nodes = [node];
    for (let next = nodes.pop(); next && this.#work.visit(next); next = nodes.pop()) {
      texts.push(...inputOf(next));
      if (next.type === 'Command') {
        const words = this.#wordsOf(next);
        for (const name of programNames(words)) found.add(name);
        if (/^(?:echo|printf)$/.test(words[0]?.text ?? ''))
          texts.push(shownOf(words.slice(1)), ...words.slice(1).map(({ shown }) => shown));
      }
      forEachChild(next, (child) => {
        nodes.push(child);
      });
    }
    return { names: [...found], texts };
  }

  #tooLong(): void {
    this.isCut = true;
    const text = 'It is too long to analyze.';
    this.unknowns.set('unknown.size', { kind: 'unknown.size', text });
  }

  #unknown(kind: UnknownKind, text: string, { certainty, hasInput }: Context): void {
    if (kind === 'unknown.input' && certainty !== 'runs' ? hasInput : isReported(kind, certainty))
      this.unknowns.set(`${kind} ${text}`, { kind, text });
  }
}

function argumentsOf(words: ShellWords): Pick<ShellCommand, 'args' | 'unseenArgs' | 'quotedArgs'> {
  const quoted = words.filter(({ text, isOneWord }) => isOneWord && /[*?]/.test(text ?? ''));
  return {
    args: words.map(({ shown }) => shown),
    unseenArgs: words.filter(({ text }) => text === undefined),
    quotedArgs: quoted.map(({ shown }) => shown),
  };
}

function shownOf(words: ShellWords): string {
  return words.map(({ shown }) => shown).join(' ');
}

function textOf(node: SyntaxNode): string {
  if ('text' in node && typeof node.text === 'string') return node.text;
  return 'value' in node && typeof node.value === 'string' ? node.value : node.type;
}
