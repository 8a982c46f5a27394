import {
  forEachChild,
  type AndOr,
  type ArithmeticFor,
  type Command,
  type For,
  type If,
  type Script,
  type Select,
  type SyntaxNode,
} from 'unbash';
import { limits } from '../words/limits.ts';
import { allElementsOf, isAssigner, nameOfExpansion, type Variables } from './variables.ts';

/** Variables that are certainly assigned at a place of a script, also those of the places around it. */
class Scope {
  readonly names = new Set<string>();
  readonly #outer: Scope | undefined;

  constructor(outer?: Scope) {
    this.#outer = outer;
  }

  has(name: string): boolean {
    return this.names.has(name) || this.#outer?.has(name) === true;
  }

  /** Moves its own names to a scope around it. Each is moved once: a line may have many thousands of them. */
  leaveTo(outer: Scope): void {
    for (const name of this.names) outer.names.add(name);
    this.names.clear();
  }
}

/** Parts with which bash may abandon a line, and continue with the next: `: ${x:?}`, `$((1/0))`, failglob. */
const failing = /^(?:ParameterExpansion|Arithmetic|Glob$|ExtendedGlob)/;

/** Nodes that may not run, that run in a process of their own, or later. */
const conditional: ReadonlySet<SyntaxNode['type']> = new Set([
  'Redirected',
  'Subshell',
  'Function',
  'Coproc',
  'CaseItem',
  'CommandExpansion',
  'ProcessSubstitution',
]);

/**
 * Adds the assignments of a script to the variables, and notes which expansions certainly come after an assignment to
 * their variable. All others may also see an earlier value, or none: `(a=ls); $a rm -rf y`, `$a y; a=ls`.
 */
export class CertainAssignments {
  readonly #variables: Variables;
  readonly #spend: (node: SyntaxNode) => boolean;
  #nesting = 0;
  /** Number of functions around the current node; `local` fails outside of them. */
  #functions = 0;
  /** True if bash may not have reached the end of the current line. */
  #mayFail = false;

  /** Reads until `spend` refuses a node. */
  constructor(variables: Variables, spend: (node: SyntaxNode) => boolean) {
    this.#variables = variables;
    this.#spend = spend;
  }

  /** Reads a script that runs in a shell of its own, or once: its lines can fail one by one. */
  readScript({ commands }: Script, source: string): void {
    const scope = new Scope();
    let line = new Scope(scope);
    let end = 0;
    for (const statement of commands) {
      if (source.slice(end, statement.pos).includes('\n')) {
        line = new Scope(scope);
        this.#mayFail = false;
      }
      end = statement.end;
      this.#read(statement, line);
      if (!this.#mayFail) line.leaveTo(scope);
    }
  }

  #read(node: SyntaxNode, scope: Scope): void {
    if (this.#nesting > limits.nesting || !this.#spend(node)) return;
    this.#nesting++;
    this.#variables.add(node);
    const name = nameOfExpansion(node);
    if (name !== undefined && scope.has(name)) this.#variables.addCertain(node);
    else if (failing.test(node.type) || (name !== undefined && !this.#variables.isOwn(name))) this.#mayFail = true;
    if (node.type === 'Function') this.#functions++;
    this.#readChildren(node, scope);
    if (node.type === 'Function') this.#functions--;
    this.#nesting--;
  }

  #readChildren(node: SyntaxNode, scope: Scope): void {
    if (node.type === 'AndOr') return this.#andOr(node, scope);
    if (node.type === 'Command') return this.#command(node, scope);
    if (node.type === 'If') return this.#if(node, scope);
    if (node.type === 'For' || node.type === 'Select') return this.#for(node, scope);
    if (node.type === 'ArithmeticFor') return this.#arithmeticFor(node, new Scope(scope));
    if (node.type === 'While') {
      // `break` may leave the loop within its condition.
      const clause = new Scope(scope);
      this.#read(node.clause, clause);
      return this.#read(node.body, new Scope(clause));
    }
    if (node.type === 'Pipeline' && node.commands.length > 1) {
      for (const command of node.commands) this.#read(command, new Scope(scope));
      return;
    }
    const isUncertain = conditional.has(node.type) || (node.type === 'Statement' && node.background);
    return this.#all(node, isUncertain ? new Scope(scope) : scope);
  }

  #all(node: SyntaxNode, scope: Scope): void {
    forEachChild(node, (child) => {
      this.#read(child, scope);
    });
  }

  /** Reads `a && b && c`, where c runs only after a and b; after `||` only the first command has certainly run. */
  #andOr({ commands, operators }: AndOr, scope: Scope): void {
    const [first, ...rest] = commands;
    if (first) this.#read(first, scope);
    let chain = new Scope(scope);
    for (const [at, command] of rest.entries()) {
      if (operators.slice(Math.max(at - 1, 0), at + 1).includes('||')) chain = new Scope(scope);
      this.#read(command, chain);
    }
  }

  #for({ name, wordlist, body }: For | Select, scope: Scope): void {
    for (const word of wordlist ?? []) this.#read(word, scope);
    const inner = new Scope(scope);
    inner.names.add(name.value);
    this.#read(body, inner);
  }

  /** Reads a loop whose variables have numbers before its body runs: `for ((i=0, j=9; i<j; i++))`. */
  #arithmeticFor(loop: ArithmeticFor, scope: Scope): void {
    const started = loop.initialize ? [loop.initialize] : [];
    for (let node = started.pop(); node; node = started.pop()) {
      if (node.type !== 'ArithmeticBinary') continue;
      if (node.operator === ',') started.push(node.left, node.right);
      else if (node.operator === '=' && node.left.type === 'ArithmeticWord') scope.names.add(node.left.value);
    }
    this.#all(loop, scope);
  }

  /** Reads a condition; variables that every branch assigns are assigned after it. */
  #if({ clause, then, elif, else: last }: If, scope: Scope): void {
    this.#read(clause, scope);
    const branches = [then, ...elif, ...(last ? [last] : [])].map((node) => {
      const branch = new Scope(scope);
      if (node.type === 'Elif') this.#all(node, branch);
      else this.#read(node, branch);
      return branch;
    });
    if (!last) return;
    const [one, ...others] = branches;
    for (const name of one?.names ?? []) if (others.every(({ names }) => names.has(name))) scope.names.add(name);
  }

  /** Reads a command. The assignments before a program are not those of the shell; a redirection may fail. */
  #command(command: Command, scope: Scope): void {
    const isAssignment = !command.name;
    for (const child of [...command.prefix, ...(command.name ? [command.name] : []), ...command.suffix]) {
      this.#read(child, scope);
      if (isAssignment && command.redirects.length === 0) assign(child, scope);
    }
    const name = command.name?.value ?? '';
    const mayAssign = isAssigner(name) && (name !== 'local' || this.#functions > 0) && command.redirects.length === 0;
    // With any other option or word the builtin may fail, or only print: `declare -p a=ls`.
    if (!mayAssign || !command.args.every((word) => word.type === 'Assignment' || /^-[agx]+$/.test(word.text))) return;
    for (const child of command.args) assign(child, scope);
  }
}

/** Adds the variable of an assignment of a whole value, but not of an array whose first element may be missing. */
function assign(node: SyntaxNode, scope: Scope): void {
  if (node.type !== 'Assignment' || node.index) return;
  if (node.value.type === 'Word') return void scope.names.add(node.name);
  // The elements of a list replace those of an earlier one, unlike one value.
  scope.names.add(allElementsOf(node.name));
  if (/^[^[]/.test(node.value.elements[0]?.text ?? '')) scope.names.add(node.name);
}
