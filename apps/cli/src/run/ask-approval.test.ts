import { PassThrough } from 'node:stream';
import { expect, test } from 'vitest';
import { ActionEvent } from '@varve/events/kinds';
import { FileEditorAction, TerminalAction } from '@varve/events/payloads';
import { terminalIo } from '../terminal/terminal-io.ts';
import { askApproval, type Approval } from './ask-approval.ts';

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

/** Returns the shown text and the decision for typed keys. */
async function answered(
  keys: string,
  waiting = event,
): Promise<{ readonly approval: Approval; readonly shown: string }> {
  const stdin = new PassThrough();
  const stderr = Object.assign(new PassThrough(), { isTTY: true, columns: 80 });
  const env = { NO_COLOR: '1', TERM: 'xterm' };
  let shown = '';
  stderr.on('data', (chunk: Buffer) => (shown += chunk.toString()));
  const answer = askApproval(
    [{ event: waiting }],
    terminalIo({ env, cwd: '/', stdin, stdout: new PassThrough(), stderr }),
    new AbortController().signal,
  );
  stdin.write(keys);
  return { approval: await answer, shown };
}

test.for<readonly [keys: string, approval: Approval]>([
  ['y\r', 'yes'],
  ['q\r', 'quit'],
  ['\u0003', 'quit'],
  ['\u0004', 'quit'],
  ['\r', { reason: 'The user rejected the call.' }],
  ['Use the other file.\r', { reason: 'Use the other file.' }],
])('the keys %j are a decision', async ([keys, approval]) => {
  expect((await answered(keys)).approval).toEqual(approval);
});

test('the prompt shows the whole call', async () => {
  const { shown } = await answered('y\r');
  expect(shown).toContain('✎ create /a');
  expect(shown.match(/\+ x/g)).toHaveLength(40);
});

test.for([
  ['a title of the terminal', 'ls \u001B]0;; rm -rf ~\u0007', '$ ls <001B>]0;; rm -rf ~<0007>'],
  ['a colour of nothing', 'ls \u001B[8m; rm -rf ~', '$ ls <001B>[8m; rm -rf ~'],
  ['a carriage return', 'rm -rf ~\r#', '$ rm -rf ~<000D>#'],
  ['a turned direction', 'ls \u202E~ fr- mr', '$ ls <202E>~ fr- mr'],
  ['no width', 'rm\u200B -rf ~', '$ rm<200B> -rf ~'],
])('a call cannot be hidden by %s', async ([, command = '', line = '']) => {
  const { shown } = await answered('y\r', { ...event, action: TerminalAction.create({ command }) });
  expect(shown).toContain(`  ${line}\n`);
});
