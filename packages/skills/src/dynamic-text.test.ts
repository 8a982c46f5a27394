import { expect, test } from 'vitest';
import { commandsIn, textParts } from './dynamic-text.ts';

test.for([
  ['Branch: !`git branch`, !`date`.', ['git branch', 'date']],
  ['```\n!`a`\n```\n!`b`', ['b']],
  ['~~~\n!`a`\n```\n!`b`', []],
  ['````\n!`a`\n```\n!`b`\n````\n!`c`', ['c']],
  ['Write `` !`a` `` here, `x` !`b`', ['b']],
  [String.raw`Write \!` + '`a` here, !`b`', ['b']],
  ['! `a`, !``a``, !`', []],
  ['!`a', []],
] as const)('the commands of %j are %j', ([content, commands]) => {
  expect(commandsIn(content)).toEqual(commands);
});

test('without commands the parts are the text, and an escape is removed', () => {
  const content = 'One `!` two\n```\n!`a`\n```\nthree';
  expect(
    textParts(content)
      .map((part) => ('text' in part ? part.text : '?'))
      .join(''),
  ).toBe(content);
  expect(
    textParts(String.raw`\!` + '`a`')
      .map((part) => ('text' in part ? part.text : '?'))
      .join(''),
  ).toBe('!`a`');
});

test('a line of many back quotes is decided', () => {
  expect(commandsIn('` `` ```` '.repeat(30_000))).toEqual([]);
});

test('lines of many pieces of code are decided within the time of a test', () => {
  expect(commandsIn(`${'` '.repeat(1990)}\n`.repeat(500))).toEqual([]);
});
