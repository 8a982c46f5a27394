import { neverConfirm } from '@varve/agent';
import { shellRisk, withRules } from '@varve/agent/confirmation';
import { countingTool } from '@varve/agent/testing';
import { ApplyPatchAction, FileEditorAction, TerminalAction, type Payload } from '@varve/events/payloads';
import { safeText } from '@varve/events/text';
import { globMatcher, readModelJson, redactor } from '@varve/text';
import { filesOfPatch } from '@varve/tools';
import { expect, test } from 'vitest';
import { MarkdownRows } from '../src/terminal/markdown-rows.ts';
import { barredRows, quotedRows } from '../src/terminal/rows.ts';
import { WrappedText } from '../src/terminal/wrapped-text.ts';

const tool = countingTool().tool();
const policy = withRules(neverConfirm(), [
  { decision: 'deny', on: 'path', pattern: '.env' },
  { decision: 'ask', on: 'path', pattern: 'a/**/b*' },
  { decision: 'deny', on: 'command', pattern: 'deploy' },
]);

/** Reviews a call as a run does. */
function review(name: string, action: Payload): void {
  const call = { tool: { ...tool, name }, action, workspace: '/work', risk: 'LOW' } as const;
  policy.review(call);
  shellRisk().assess(call);
}

function wrap(pieces: readonly string[]): void {
  const rows = new WrappedText(() => 80);
  for (const piece of pieces) rows.push(piece);
}

function format(pieces: readonly string[]): void {
  const rows = new MarkdownRows(() => 80, undefined);
  for (const piece of pieces) {
    rows.push(piece);
    void rows.rest;
  }
  rows.end();
}

/** Readers of what models, tools and repositories write: with the count of what is repeated or nested. */
const readers: readonly (readonly [string, number, (count: number) => void])[] = [
  ['command: cd a;', 400, (n) => review('terminal', TerminalAction.create({ command: 'cd a;'.repeat(n) }))],
  [
    'command: cd a || cd b;',
    100,
    (n) => review('terminal', TerminalAction.create({ command: 'cd a||cd b;'.repeat(n) })),
  ],
  ['command: (', 400, (n) => review('terminal', TerminalAction.create({ command: '('.repeat(n) + ')'.repeat(n) }))],
  ['command: $(', 400, (n) => review('terminal', TerminalAction.create({ command: 'a $('.repeat(n) }))],
  ['path', 500, (n) => review('file_editor', FileEditorAction.create({ command: 'view', path: '/a'.repeat(n) }))],
  ['patch', 200, (n) => review('apply_patch', ApplyPatchAction.create({ patch: '*** Add File: a\n+a\n'.repeat(n) }))],
  ['files of a patch', 2000, (n) => void filesOfPatch('*** Add File: a\n+a\n'.repeat(n))],
  ['glob', 2000, (n) => void globMatcher('*a*b', { dot: true }).matches('a'.repeat(n))],
  ['safe text', 5000, (n) => void safeText('a\u001B['.repeat(n))],
  ['arguments', 1000, (n) => void readModelJson('{"a":'.repeat(n))],
  ['redaction', 5000, (n) => void redactor(['secret-value'], { replacement: '*' }).text('secret-valu'.repeat(n))],
  ['wrapped line', 5000, (n) => wrap(['a'.repeat(n)])],
  ['wrapped blanks', 5000, (n) => wrap([`a${' '.repeat(n)}`])],
  ['wrapped marks without width', 5000, (n) => wrap([`a${'\u0300'.repeat(n)}`])],
  ['wrapped pieces', 1000, (n) => wrap(Array<string>(n).fill('a'))],
  ['table', 1000, (n) => format(Array<string>(n).fill('|a|b|\n'))],
  ['row of a table', 1000, (n) => format(Array<string>(n).fill('|a|b'))],
  ['text with marks', 1000, (n) => format(['**a `'.repeat(n)])],
  ['quoted line', 10_000, (n) => void quotedRows('a'.repeat(n), 80)],
  ['barred line', 10_000, (n) => void barredRows('a'.repeat(n), 80)],
];

/** Returns the processor time of this process for a function, in milliseconds: the middle one of three. */
function timeOf(run: () => void): number {
  const times = Array.from({ length: 3 }, () => {
    const start = process.cpuUsage();
    run();
    return process.cpuUsage(start).user / 1000;
  });
  return times.toSorted((a, b) => a - b)[1] ?? 0;
}

/** Times as long as `read` takes for eight times the text. Short times are noise. */
function growthOf(read: (count: number) => void, count: number): number {
  return (
    timeOf(() => read(count * 8)) /
    Math.max(
      timeOf(() => read(count)),
      5,
    )
  );
}

test.for(readers)('the time of a reader grows with its text, and not with its square: %s', ([, count, read]) => {
  read(count);
  let growth = Infinity;
  // What else the machine does can only add to it.
  for (let attempt = 0; attempt < 5 && growth >= 24; attempt += 1) growth = Math.min(growth, growthOf(read, count));
  // Squared, it would be 64.
  expect(growth).toBeLessThan(24);
});
