import { expect, test } from 'vitest';
import { ApplyPatchAction, FileEditorAction, GrepAction, TerminalAction } from '@varve/events/payloads';
import { confirmRisky, neverConfirm } from '../../src/confirmation/policies.ts';
import { reviewCalls } from '../../src/confirmation/gate.ts';
import { withRules } from '../../src/confirmation/with-rules.ts';
import { countingTool } from '../../src/testing/counting-tool.ts';

const tool = countingTool().tool();
const rules = [
  { decision: 'deny', on: 'path', pattern: '**/*a*b*c*d*' },
  { decision: 'deny', on: 'path', pattern: '.env' },
  { decision: 'deny', on: 'host', pattern: 'evil.example' },
  { decision: 'allow', on: 'host', pattern: '*.example' },
  { decision: 'deny', on: 'command', pattern: 'git push' },
] as const;
const gate = { policy: withRules(confirmRisky(), rules), protectedPaths: ['/data/varve'] };

/** Pieces that a text repeats. Each was, or could be, the worst input of a pattern, a path or a list of names. */
const pieces = [
  'a.',
  'a-',
  '/x',
  '\n',
  ' ',
  '.*',
  '.[',
  '.{a,b}',
  '*{,}',
  '*@()',
  '+(a|b)',
  '/a?b*',
  '://',
  'a://',
  '../',
];
const texts = pieces.flatMap((piece) =>
  ['', '.', '***', 'a://'].map((start) => start + piece.repeat(12_000 / piece.length)),
);
const lists = [
  Array.from({ length: 1500 }, (_, at) => `cd a${at}`).join(';'),
  `rm ${Array.from({ length: 400 }, (_, at) => `${'d/'.repeat(60)}a${at}`).join(' ')}`,
];

function review(action: Parameters<typeof reviewCalls>[1][number]['action']): boolean {
  const [reviewed] = reviewCalls(gate, [{ tool, action, risk: 'LOW', workspace: '/w/x' }]);
  return reviewed !== undefined;
}

// A review of these texts took seconds to minutes, or threw: the time limit of a test is the assertion.
test('no argument of a call makes its review slow or fail', () => {
  for (const text of texts) {
    expect(review(FileEditorAction.create({ command: 'create', path: `/w/${text}`, file_text: '' }))).toBe(true);
    expect(review(GrepAction.create({ pattern: 'x', path: text }))).toBe(true);
    expect(review(ApplyPatchAction.create({ patch: text }))).toBe(true);
    expect(review({ kind: 'OtherAction', data: { path: text, text } })).toBe(true);
  }
  for (const text of lists) expect(review(TerminalAction.create({ command: text }))).toBe(true);
  expect(review(TerminalAction.create({ command: `cp x '.${'*@()'.repeat(20)}x'` }))).toBe(true);
});

test('a command of many words, scripts or directories is reviewed, and what was not read is asked about', () => {
  for (const [unit, length] of [
    ['a=b ', 199_000],
    ['eval x=a; $x; ', 20_000],
    ['cd a; rm b; ', 20_000],
  ] as const) {
    expect(review(TerminalAction.create({ command: unit.repeat(Math.floor(length / unit.length)) }))).toBe(true);
  }
  expect(review(TerminalAction.create({ command: `git -${'v'.repeat(190_000)} push` }))).toBe(true);
  const never = { policy: neverConfirm(), protectedPaths: [] };
  const asks = (command: string): boolean | undefined =>
    reviewCalls(never, [{ tool, action: TerminalAction.create({ command }), risk: 'LOW', workspace: '/w/x' }])[0]
      ?.review.asks;
  const hidden = 'cd .gi""t && cp x conf*';
  const long = [
    `${':;'.repeat(20_000)}${hidden}`,
    `${'$('.repeat(700)}${hidden}`,
    `: ${'x'.repeat(200_000)}; ${hidden}`,
  ];
  expect(long.map(asks)).toEqual([true, true, true]);
  expect(asks(`cat > a.txt <<'E'\n${'a b\n'.repeat(20_000)}E`)).toBe(false);
});

test('a call that names more files than are compared is asked about', () => {
  const [reviewed] = reviewCalls(gate, [
    { tool, action: TerminalAction.create({ command: lists[1] ?? '' }), risk: 'LOW', workspace: '/w/x' },
  ]);
  expect(reviewed?.review.asks).toBe(true);
});
