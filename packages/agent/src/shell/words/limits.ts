import type { SyntaxNode } from 'unbash';

/** Limits of the analysis. A command beyond them is unknown. */
export const limits = {
  /** Characters of a command. */
  length: 200_000,
  /** Reasons of a verdict. */
  reasons: 20,
  /** Syntax nodes and characters of nested text that are visited. */
  work: 1_000_000,
  /** Simple commands, also inside others. */
  commands: 10_000,
  /** Depth of scripts inside scripts. */
  scripts: 8,
  /** Depth of the syntax tree. */
  nesting: 600,
  /** Directories to which a script changes. */
  directories: 16,
  /** Commands of one pipeline. */
  stages: 64,
  /** Words of earlier commands of a pipeline, and of a command that gets them as arguments. */
  items: 64,
  /** Characters of a command into which items are inserted. */
  template: 2000,
  /** Characters of a text that a command reads. */
  input: 20_000,
  /** Readings of a command whose scripts assign to variables that it uses before them. */
  passes: 3,
  /** Variables whose value contains the next one. */
  nestedVariables: 64,
} as const;

/** Nodes whose text is parsed when their children are visited. */
const parsedLater = new Set<SyntaxNode['type']>([
  'CommandExpansion',
  'ProcessSubstitution',
  'ParameterExpansion',
  'ArithmeticExpansion',
  'ArithmeticCommandExpansion',
]);

/** Counts the work of an analysis. */
export class Work {
  done = 0;

  /** Counts work, and reports whether the limit is not reached yet. */
  spend(amount: number): boolean {
    this.done += amount;
    return this.done <= limits.work;
  }

  /** Counts a node, and the text that the parser reads to visit its children. */
  visit(node: SyntaxNode): boolean {
    return this.spend(parsedLater.has(node.type) ? 1 + node.end - node.pos : 1);
  }
}
