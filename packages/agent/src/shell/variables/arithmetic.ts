import type { Assignment, Command, SyntaxNode, Word, WordPart } from 'unbash';
import type { ShellWords } from '../words/shell-word.ts';
import type { Variables } from './variables.ts';
import { outputOf, valuesOfWord } from '../words/words.ts';

/** Operators of `[[` that evaluate both sides as arithmetic. */
const comparisons = new Set(['-eq', '-ne', '-lt', '-le', '-gt', '-ge']);

/**
 * Reports whether a node evaluates text as arithmetic that may be something other than a number. The shell runs the
 * substitutions in such text: `a='x[$(rm -rf y)]'; echo $((a))`.
 */
export function evaluatesText(node: SyntaxNode, variables: Variables): boolean {
  if (node.type === 'ArithmeticWord') {
    return node.parts ? !partsAreNumbers(node.parts, variables) : !isNumber(node.value, variables);
  }
  if (node.type === 'ArithmeticCommandExpansion') {
    return !node.script || !outputOf(node.script)?.every((text) => /^\d+$/.test(text));
  }
  if (node.type === 'TestBinary')
    return comparisons.has(node.operator) && !areNumbers([node.left, node.right], variables);
  if (node.type === 'TestUnary') return node.operator === '-v' && !/^\w+$/.test(node.operand.text);
  if (node.type === 'Slice') return !areNumbers([node.offset, node.length], variables);
  // `${a@P}` runs the substitutions in the value.
  if (node.type === 'Transform') return !/^[UuLQEAaKk]$/.test(node.operand.text);
  if (node.type === 'Assignment') return !areNumbers([node.index], variables) || !elementsAreNumbered(node, variables);
  if (node.type === 'Redirect' || node.type === 'HereString' || node.type === 'HereDoc') {
    const { descriptor } = node;
    return descriptor?.type === 'FileDescriptorVariable' && !isNumber(descriptor.name.replace(/^\w+/, ''), variables);
  }
  if (node.type !== 'ParameterExpansion') return false;
  const { prefix, index, operation } = node;
  if (prefix === '!' && !index) return operation?.type !== 'Names';
  return index !== undefined && !/^[@*]$/.test(index.value) && !areNumbers([index], variables);
}

/**
 * Returns the words that bash reads as names of variables for a descriptor, and the parser as arguments: those whose
 * subscript is quoted, `ls {x['$(rm -rf y)']}>f`.
 */
export function descriptorWords({ args, redirects }: Command): readonly { readonly text: string }[] {
  const starts = new Set(redirects.map(({ pos }) => pos));
  return args.filter(({ text, end }) => starts.has(end) && /^\{\w+\[[^]*\]\}$/.test(text));
}

/** Reports whether words are the start of `declare -A NAME=(…)`, in which subscripts are text. */
export function declaresAssociative([verb, ...args]: ShellWords): boolean {
  return /^(?:declare|local|typeset)$/.test(verb?.text ?? '') && args.some(({ text }) => /^-\w*A/.test(text ?? ''));
}

/** Reports whether the subscripts within the parentheses of an assignment are numbers: `y=([0]=a [1]=b)`. */
function elementsAreNumbered({ value }: Assignment, variables: Variables): boolean {
  const elements = value.type === 'Word' ? [] : value.elements;
  return elements.every(({ text }) => isNumber(/^\[([^]*?)\]\+?=/.exec(text)?.[1] ?? '', variables));
}

/** Reports whether text is a number, or a calculation with variables that are numbers. */
export function isNumber(text: string, variables: Variables): boolean {
  if (/[$`'"\\]/.test(text)) return false;
  return [...text.matchAll(/\b[A-Za-z_]\w*/g)].every(([name]) => variables.isInteger(name));
}

function areNumbers(words: readonly (Word | undefined)[], variables: Variables): boolean {
  return words.every((word) => word === undefined || wordIsNumber(word, variables));
}

function wordIsNumber(word: Word, variables: Variables): boolean {
  return valuesOfWord(word, variables.valuesOf)?.every((value) => isNumber(value, variables)) ?? false;
}

function partsAreNumbers(parts: readonly WordPart[], variables: Variables): boolean {
  return parts.every((part) => {
    if (part.type === 'Literal') return isNumber(part.value, variables);
    const { pos, end, text } = part;
    return wordIsNumber({ type: 'Word', text, value: text, pos, end, parts: [part] }, variables);
  });
}
