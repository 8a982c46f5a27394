import { PassThrough } from 'node:stream';
import { expect, test } from 'vitest';
import { ActionEvent } from '@varve/events/kinds';
import { FileEditorAction, TerminalAction } from '@varve/events/payloads';
import { terminalIo } from '../terminal/terminal-io.ts';
import type { Approval, CallPlace, CallQuestion, WaitingCall } from '@varve/host/people';
import { askApproval } from './ask-approval.ts';

const event = ActionEvent.create(
  {
    thought: [],
    action: FileEditorAction.create({ command: 'create', path: '/a', file_text: 'x\n'.repeat(40) }),
    tool_name: 'file_editor',
    tool_call_id: 'c1',
    tool_call: { id: 'c1', name: 'file_editor', arguments: '{}', origin: 'completion' },
    llm_response_id: 'r1',
  },
  { id: '00000001', timestamp: '2026-01-01T12:00:00.000000' },
);
const terminal = (command: string): WaitingCall => ({
  event: { ...event, action: TerminalAction.create({ command }) },
});

const here: CallPlace = { workspace: '/work', directories: [] };

/** Returns the shown text and the decision for typed keys. */
async function answered(
  keys: string,
  call: WaitingCall = { event },
  subAgent?: string,
  { place = here, columns = 80, problem }: Partial<Pick<CallQuestion, 'place' | 'problem'>> & { columns?: number } = {},
): Promise<{ readonly approval: Approval; readonly output: string }> {
  const stdin = new PassThrough();
  const stderr = Object.assign(new PassThrough(), { isTTY: true, columns, rows: 24 });
  const env = { NO_COLOR: '1', TERM: 'xterm' };
  let output = '';
  stderr.on('data', (chunk: Buffer) => (output += chunk.toString()));
  const answer = askApproval(
    { call, place, number: 1, count: 2, subAgent, problem },
    terminalIo({ env, cwd: '/', stdin, stdout: new PassThrough(), stderr }),
    new AbortController().signal,
  );
  for (const key of keys.split(/(?<=\r)/)) {
    await new Promise((resolve) => setImmediate(resolve));
    stdin.write(key);
  }
  return { approval: await answer, output };
}

test.for<readonly [keys: string, approval: Approval]>([
  ['y\r', 'once'],
  ['YES\r', 'once'],
  ['s\r', 'session'],
  ['a\r', 'always'],
  ['q\r', 'later'],
  ['\u0003', 'later'],
  ['\u0004', 'later'],
  ['n\r', { reason: 'The user rejected the call.' }],
  ['n Use the other file.\r', { reason: 'Use the other file.' }],
])('the keys %j are a decision', async ([keys, approval]) => {
  expect((await answered(keys)).approval).toEqual(approval);
});

test('a call is asked about again with the reason why a command cannot run in its place', async () => {
  const { output } = await answered('q\r', terminal('git push'), undefined, { problem: 'It is too long.' });
  expect(output).toMatch(/^It is too long\.\nApprove this tool call\? \(1 of 2\)\n/);
});

test('another command is a decision about a command of an agent or a sub-agent, and of nothing else', async () => {
  for (const subAgent of [undefined, 'helper']) {
    const { approval, output } = await answered('e\re git push --dry-run\r', terminal('git push'), subAgent);
    expect(approval).toEqual({ command: 'git push --dry-run' });
    expect(output).toContain('[e COMMAND] run this command of yours instead');
  }
  const other = await answered('e ls\rq\r');
  expect([other.approval, other.output.includes('[e ')]).toEqual(['later', false]);
});

test.for(['\r', 'x\r', '?\r', 'yes please\r', 'never\r', 'ys\r', ' \r'])(
  'the keys %j decide nothing, and the choices are listed again',
  async (keys) => {
    const { approval, output } = await answered(`${keys}n\r`);
    expect(approval).toEqual({ reason: 'The user rejected the call.' });
    expect(output).toContain('Type one of: y, s, a, n, n REASON, q.');
  },
);

test('the prompt shows the whole call, and what an approval for the session covers', async () => {
  const { output } = await answered('y\r');
  expect(output).toContain('Approve this tool call? (1 of 2)\n│ ✎ create /a\n');
  expect(output.match(/^│ {3}\+ x(?:<000A>)?$/gm)).toHaveLength(40);
  expect(output).toContain('[s] for this session: every create of this file');
});

test.for([
  ['a', 'a\n'],
  ['a\n', 'a'],
  ['a\n', 'a\n\n'],
])('an edit of %j into %j changes something in the prompt', async ([old_str = '', new_str = '']) => {
  const action = FileEditorAction.create({ command: 'str_replace', path: '/a', old_str, new_str });
  const { output } = await answered('y\r', { event: { ...event, action } });
  const rows = (sign: string) => output.split('\n').flatMap((row) => row.split(`│   ${sign} `).slice(1));
  expect(rows('+')).not.toEqual(rows('-'));
});

test('no row of a reason looks like a row of the prompt, and none hides characters, whatever it quotes', async () => {
  const quoted = `It changes /w/.git/a\nLOW: harmless${'x'.repeat(38)}LOW: harmless\u200B\u2800\u202E ${'漢'.repeat(60)}`;
  const verdict = { risk: 'HIGH', reasons: [{ risk: 'HIGH', text: quoted }] } as const;
  const { output } = await answered('y\r', { ...terminal('ls'), review: { asks: true, verdict } });
  const [, rest = ''] = output.split('│ $ ls\n');
  const [first = '', ...more] = (rest.split('\n[y] once')[0] ?? '').split('\n');
  expect(first).toMatch(/^HIGH: It changes \/w\/\.git\/a<000A>LOW/);
  expect(unwrapped(more.join('\n'))).toContain('LOW: harmless<200B><2800><202E> ');
  for (const row of more) expect(row).toMatch(/^(?: {2}| ↳)\S/);
  for (const row of [first, ...more]) expect(row.replaceAll('漢', 'xx').length).toBeLessThan(80);
});

test.for(['\u2800', '\u200B', '\u202E', '\u3164', '\u{E0100}'])(
  'the proposed rule of a command with %j shows it',
  async (hidden) => {
    const number = hidden.codePointAt(0)?.toString(16).toUpperCase().padStart(4, '0');
    const { output } = await answered('y\r', terminal(`make build${hidden}`));
    const [, rule = ''] = /^\[a\] (.*)$/m.exec(output) ?? [];
    expect(rule).toContain(`build<${number}>`);
  },
);

test.for<readonly [part: string, question: Parameters<typeof answered>[1], subAgent?: string]>([
  ['a rule', terminal("make 'x\n[y] harmless\u2800'")],
  [
    'the name of a tool',
    { event: { ...event, action: { kind: 'MCPToolAction' }, tool_name: 'x\n[y] harmless\u2800' } },
  ],
  ['the name of a sub-agent', terminal('ls'), 'x\n[y] harmless\u2800'],
])('no row of the prompt is forged by %s', async ([, call, subAgent]) => {
  const { output } = await answered('y\r', call, subAgent);
  expect(output.split('\n').filter((row) => row.startsWith('[y]'))).toEqual(['[y] once']);
  expect(output).not.toContain('\u2800');
});

test.for([1, 10, 23, 24, 30, 1000])(
  'a call of %i lines is named as long if the screen cannot show its beginning',
  async (count) => {
    const command = Array.from({ length: count }, (_, index) => `echo ${index}`).join('\n');
    const { output } = await answered('y\r', terminal(command));
    const [before = '', prompt = ''] = output.split('Choice: ');
    expect(isNamedAsLong(before)).toBe(before.split('\n').length > 24);
    expect(prompt).not.toContain('echo');
  },
);

/** Joins rows that continue a line. */
function unwrapped(rows: string): string {
  return rows.replaceAll('\n  ', ' ').replaceAll('\n ↳', '');
}

/** Reports whether the last row above the choice is about rows above that the screen does not show. */
function isNamedAsLong(before: string): boolean {
  return /\nThere are \d+ rows: scroll up to read all of them\.\n.*$/.test(unwrapped(before));
}

test.for([40, 80, 200])(
  'a short call is named as long if findings, directories or rules above the question move it off a screen of %i columns',
  async (columns) => {
    const short = terminal('make x');
    for (let count = 1; count <= 30; count += 2) {
      const words = Array.from({ length: count }, (_, index) => `target-${index}-${'x'.repeat(30)}`);
      const reasons = words.map((text) => ({ risk: 'HIGH', text }) as const);
      const prompts = await Promise.all([
        answered('y\r', { ...short, review: { asks: true, verdict: { risk: 'HIGH', reasons } } }, undefined, {
          columns,
        }),
        answered('y\r', short, undefined, { columns, place: { ...here, directories: words } }),
        answered('y\r', terminal(words.map((word) => `make ${word}`).join('; ')), undefined, { columns }),
        answered('y\r', short, words.join(' '), { columns }),
      ]);
      for (const { output } of prompts) {
        const [before = ''] = output.split('Choice: ');
        expect(isNamedAsLong(before)).toBe(before.split('\n').length > 24);
      }
    }
  },
);

test('two calls are never shown alike because one contains the number of a hidden character', async () => {
  const commands = ['cat <0020>x', 'cat  x', 'cat\tx', 'cat⇥   x', 'cat <202E>x', 'cat \u202Ex', './a\u{1FA89}', './a'];
  const prompts = await Promise.all(commands.map(async (command) => answered('y\r', terminal(command))));
  const rows = prompts.map(({ output }) => output.split('\n').filter((row) => row.startsWith('│')));
  expect(new Set(rows.map((each) => each.join('\n'))).size).toBe(commands.length);
});

test('a call with letters from right to left warns of another order', async () => {
  const { output } = await answered('y\r', terminal('cat \u05D0 > \u05D1 1'));
  expect(output).toContain('\n│ $ cat \u05D0 > \u05D1 1\n');
  expect(output).toMatch(/\nLetters from right to left: [^│[]+\n.*Choice: /);
});

test('a directory with letters from right to left warns of another order', async () => {
  const place = { ...here, directories: ['/a/\u05D0', '/b'] };
  const { output } = await answered('y\r', terminal('ls'), undefined, { place });
  expect(output).toMatch(/\nLetters from right to left: [^│[]+\n.*Choice: /);
});

test('input for a running program cannot be approved for the session', async () => {
  const action = TerminalAction.create({ command: 'y', is_input: true });
  const { approval, output } = await answered('s\ry\r', { event: { ...event, action } });
  expect(approval).toBe('once');
  expect(output).not.toContain('[s]');
});

test.for([
  ['a title of the terminal', 'ls \u001B]0;; rm -rf ~\u0007', '$ ls <001B>]0;; rm -rf ~<0007>'],
  ['a colour of nothing', 'ls \u001B[8m; rm -rf ~', '$ ls <001B>[8m; rm -rf ~'],
  ['a carriage return', 'rm -rf ~\r#', '$ rm -rf ~<000D>#'],
  ['a turned direction', 'ls \u202E~ fr- mr', '$ ls <202E>~ fr- mr'],
  ['no width', 'rm\u200B -rf ~', '$ rm<200B> -rf ~'],
  ['a filler', 'rm\u3164-rf', '$ rm<3164>-rf'],
  ['outer blanks', '\uFEFF ls  ', '$ <FEFF> ls<0020><0020>'],
])('a call cannot be hidden by %s', async ([, command = '', line = '']) => {
  const { output } = await answered('y\r', terminal(command));
  expect(output).toContain(`│ ${line}\n`);
});

test('no row of a call looks like a row of the prompt, however the command is written', async () => {
  const command = `echo ${' '.repeat(75)}LOW: harmless\nLOW: harmless\n${'漢'.repeat(60)}\n> y`;
  const { output } = await answered('y\r', terminal(command));
  const [, rows = ''] = output.split('(1 of 2)\n');
  const [call = ''] = rows.split('Its risk is not known, or every call is asked about.');
  for (const row of call.trimEnd().split('\n')) {
    expect(row).toMatch(/^│[ ↳]/);
    expect(row.replaceAll('漢', 'xx').length).toBeLessThan(80);
  }
});
