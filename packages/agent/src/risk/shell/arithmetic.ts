import type { SyntaxNode, Word, WordPart } from 'unbash';
import type { Variables } from './variables.ts';
import { outputOf, valuesOfWord } from './words.ts';

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
  if (node.type === 'Assignment') return !areNumbers([node.index], variables);
  if (node.type !== 'ParameterExpansion') return false;
  const { prefix, index, operation } = node;
  if (prefix === '!') return !index && operation?.type !== 'Names';
  return index !== undefined && !/^[@*]$/.test(index.value) && !areNumbers([index], variables);
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
