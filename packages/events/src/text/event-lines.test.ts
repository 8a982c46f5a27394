import { expect, test } from 'vitest';
import { condensationFact } from '../facts/index.ts';
import { text, type BaseEvent, type Content } from '../index.ts';
import {
  ActionEvent,
  AgentErrorEvent,
  Condensation,
  ConversationErrorEvent,
  MessageEvent,
  ObservationEvent,
  UserRejectObservation,
  HookExecutionEvent,
} from '../kinds/index.ts';
import {
  FileEditorAction,
  FileEditorObservation,
  FinishAction,
  MCPToolAction,
  MCPToolObservation,
  TaskObservation,
  TaskTrackerAction,
  TaskTrackerObservation,
  TerminalAction,
  TerminalObservation,
  ThinkAction,
  ThinkObservation,
  type Observation,
  type Payload,
} from '../payloads/index.ts';
import { callLines } from './whole-call-lines.ts';
import { eventLines } from './event-lines.ts';
import { condenserLines } from './condenser-lines.ts';

const stamp = { id: '00000001', timestamp: '2026-01-01T12:00:00.000000' };
const linesOf = (event: BaseEvent): string =>
  [...eventLines(event), ...condenserLines(event)].map((line) => line.text).join('\n');

function action(payload: Payload | undefined, thought = ''): ActionEvent {
  return ActionEvent.create(
    {
      thought: thought === '' ? [] : [text(thought)],
      ...(payload && { action: payload }),
      tool_name: 'some_tool',
      tool_call_id: 'c1',
      tool_call: { id: 'c1', name: 'some_tool', arguments: '{"a":1}', origin: 'completion' },
      llm_response_id: 'r1',
    },
    stamp,
  );
}

function observation(result: Observation): BaseEvent {
  return ObservationEvent.create({ tool_name: 't', tool_call_id: 'c1', observation: result, action_id: 'a1' }, stamp);
}

test('calls are shown after the thought', () => {
  expect(linesOf(action(TerminalAction.create({ command: 'ls -la' }), 'I look.'))).toBe('I look.\n$ ls -la');
  expect(linesOf(action(TerminalAction.create({ command: 'y', is_input: true })))).toBe('⌨ y');
  expect(linesOf(action(TerminalAction.create({ command: 'ls', reset: true })))).toBe('(in a fresh shell) $ ls');
  expect(linesOf(action(TerminalAction.create({ command: '' })))).toBe('(poll)');
  expect(linesOf(action(FileEditorAction.create({ command: 'view', path: '/a' })))).toBe('✎ view /a');
  const insertion = { command: 'insert' as const, path: '/a', insert_line: 3, new_str: 'x' };
  expect(linesOf(action(FileEditorAction.create(insertion)))).toBe('✎ insert /a after line 3\n  + x');
  expect(linesOf(action(MCPToolAction.create({ data: { a: 1 } })))).toBe('→ some_tool {"a":1}');
  expect(linesOf(action(undefined))).toBe('→ some_tool {"a":1}');
});

test('an edit shows removed and added lines, truncated if there are many', () => {
  const edit = { command: 'str_replace' as const, path: '/a', old_str: 'one\ntwo', new_str: 'three\n' };
  expect(linesOf(action(FileEditorAction.create(edit)))).toBe('✎ str_replace /a\n  - one\n  - two\n  + three');
  const file = { command: 'create' as const, path: '/a', file_text: 'x\n'.repeat(8) };
  expect(linesOf(action(FileEditorAction.create(file)))).toMatch(/(\n {2}\+ x){6}\n {2}\+ … 2 more lines$/);
});

test('a result names the images that are left out', () => {
  const image: Content = { type: 'image', image_urls: ['data:image/png;base64,AA=='], cache_prompt: false };
  const result = MCPToolObservation.create({ content: [text('The image above'), image, image], tool_name: 't' });
  expect(linesOf(observation(result))).toBe('  The image above\n  [2 images]');
});

test('long output shows its beginning and its end, and a failed command its exit code', () => {
  const output = Array.from({ length: 30 }, (_, index) => `line ${index}`).join('\n');
  const lines = linesOf(observation(TerminalObservation.create({ content: [text(output)], exit_code: 2 }))).split('\n');
  expect(lines).toHaveLength(12);
  expect([lines[0], lines[4], lines.at(-2), lines.at(-1)]).toEqual([
    '  line 0',
    '  … 20 lines …',
    '  line 29',
    '  exit 2',
  ]);
});

test('an output truncated before it was stored shows the file of the full output', () => {
  const notice = '[9 characters left out, from line 3 on. The whole output is in /my outputs/terminal_output_1.txt]\n';
  const content = [text('line\n'.repeat(9) + notice + 'line\n'.repeat(9))];
  const result = TerminalObservation.create({ content, exit_code: 0, full_output_save_dir: '/my outputs' });
  expect(linesOf(observation(result))).toContain('\n  … more in /my outputs/terminal_output_1.txt …\n');
});

test('an output truncated by another program shows the directory of the full output', () => {
  const content = [text('line\n'.repeat(30))];
  const result = TerminalObservation.create({ content, exit_code: 0, full_output_save_dir: '/outputs' });
  expect(linesOf(observation(result))).toContain('\n  … more in /outputs …\n');
});

test.for([
  [
    'a server of tools',
    MCPToolObservation.create({ content: [text('hi from mcp')], tool_name: 'echo' }),
    '  hi from mcp',
  ],
  [
    'a sub-agent',
    TaskObservation.create({ content: [text('All done.')], task_id: '1', subagent: 'a', status: 'completed' }),
    '  All done.',
  ],
  ['a view', FileEditorObservation.create({ content: [text('1 one\n2 two')], command: 'view' }), '  1 one\n  2 two'],
  [
    'an edit, which its call shows',
    FileEditorObservation.create({ content: [text('Edited.')], command: 'create' }),
    '',
  ],
  ['a thought, which its call shows', ThinkObservation.create({ content: [text('Logged.')] }), ''],
] as const)('the result of %s is %j', ([, result, line]) => {
  expect(linesOf(observation(result))).toBe(line);
});

test('a running command is shown as still running', () => {
  const result = TerminalObservation.create({ content: [text('Your name?')], exit_code: -1 });
  expect(linesOf(observation(result))).toBe('  Your name?\n  still running');
});

test('a task list shows the status of each task', () => {
  const tasks = [
    { title: 'one', status: 'done' as const },
    { title: 'two', status: 'in_progress' as const },
    { title: 'three' },
  ];
  const result = TaskTrackerObservation.create({ command: 'plan', task_list: tasks });
  expect(linesOf(observation(result))).toBe('  ☑ one\n  ◐ two\n  ☐ three');
});

test('failures, rejections and condensations are shown', () => {
  const call = { tool_name: 't', tool_call_id: 'c1' };
  expect(linesOf(AgentErrorEvent.create({ ...call, error: 'No such tool.' }, stamp))).toBe('  ✗ No such tool.');
  expect(linesOf(UserRejectObservation.create({ ...call, action_id: 'a', rejection_reason: 'no' }, stamp))).toBe(
    '  ✗ rejected: no',
  );
  expect(
    linesOf(ConversationErrorEvent.create({ source: 'environment', code: 'quota', detail: 'Empty.' }, stamp)),
  ).toBe('✗ quota: Empty.');
  const forgotten = Condensation.create({ forgotten_event_ids: ['a', 'b'], llm_response_id: 'r' }, stamp);
  expect(linesOf(forgotten)).toBe('… 2 events are no longer shown to the model');
  const none = Condensation.create({ llm_response_id: 'r' }, stamp);
  expect(linesOf(none)).toBe('');
});

test('text of models and tools cannot control the terminal', () => {
  const message = { role: 'user' as const, content: [text('\u001B[2J\u001B]0;owned\u0007hello')] };
  expect(linesOf(MessageEvent.create({ source: 'user', llm_message: message }, stamp))).toBe('› hello');
  const result = TerminalObservation.create({ content: [text('\u001B[31mred\u001B[0m')], exit_code: 0 });
  expect(linesOf(observation(result))).toBe('  red');
});

test.for([
  ['a repeated name', '{"to":"alice","to":"mallory"}'],
  ['a name in escapes', String.raw`{"to":"alice","\u0074o":"mallory"}`],
  ['a value in escapes', String.raw`{"to":"\u006dallory"}`],
  ['text that was repaired', 'Send it to {"to":"alice"}: {"to":"mallory"}'],
  ['no arguments', ''],
] as const)('a call with %s is shown to a person as the tool receives it', ([, written]) => {
  for (const payload of [
    MCPToolAction.create({ data: { to: 'mallory' } }),
    { kind: 'ClientAction_send', to: 'mallory' },
  ]) {
    const event = ActionEvent.create(
      {
        thought: [],
        action: payload,
        tool_name: 'send',
        tool_call_id: 'c1',
        tool_call: { id: 'c1', name: 'send', arguments: written, origin: 'completion' },
        llm_response_id: 'r1',
      },
      stamp,
    );
    expect(callLines(event).map((line) => line.text)).toEqual(['→ send {"to":"mallory"}']);
  }
});

test('a call of an unknown shape shows its arguments, and such a result its text', () => {
  const invalid = { command: 7, path: 7, old_str: 7, thought: 7, message: 7, kind: '' };
  for (const { kind } of [FileEditorAction, FinishAction, TaskTrackerAction, TerminalAction, ThinkAction]) {
    expect(linesOf(action({ ...invalid, kind }))).toBe('→ some_tool {"a":1}');
  }
  const result = { content: [text('No.')], is_error: true, exit_code: 'x', kind: 'TerminalObservation' };
  expect(linesOf(observation(result))).toBe('  No.');
  expect(linesOf(observation({ ...result, is_error: false, kind: 'TaskTrackerObservation', task_list: 7 }))).toBe(
    '  No.',
  );
});

const hook = { hook_event_type: 'PreToolUse', hook_command: './check.sh', success: true, exit_code: 0 } as const;

test.for([
  ['ran', {}, '⚙ PreToolUse: ./check.sh'],
  ['blocked', { blocked: true, reason: 'Not on a Friday.' }, '⚙ PreToolUse: ./check.sh\n  ✗ blocked: Not on a Friday.'],
  ['failed', { success: false, exit_code: 3 }, '⚙ PreToolUse: ./check.sh\n  failed: exit 3'],
  ['failed with a message', { success: false, stderr: 'no \u001B[2Jfile' }, '⚙ PreToolUse: ./check.sh\n  failed: no'],
] as const)('a hook that %s is shown', ([, fields, line]) => {
  const output = linesOf(HookExecutionEvent.create({ ...hook, ...fields }, stamp));
  expect(output.startsWith(line)).toBe(true);
  expect(output).not.toContain('\u001B');
});

test('an attempt to condense is shown with its tokens, or with the reason of its failure', () => {
  const attempt = { condenser: 'llm-summary', reason: 'check', tokens_before: 90_000, scale: 1, at: 1 } as const;
  const forgotten = { ActionEvent: 3, ObservationEvent: 3, MyEvent: 1 };
  const done = { ...attempt, tokens_after: 40_000, forgotten, masked: 1, focus: 'the port' };
  expect(linesOf(condensationFact.create(done, stamp))).toBe(
    'condensed by llm-summary: about 90,000 → 40,000 tokens · forgot 3 calls, 3 results, 1 MyEvent · masked 1 output · focus: the port',
  );
  const problem = 'The summary is empty.';
  expect(linesOf(condensationFact.create({ ...done, problem }, stamp))).toContain('\nwithout a summary: The summary');
  expect(linesOf(condensationFact.create({ ...attempt, problem }, stamp))).toBe(
    'could not condense (llm-summary): The summary is empty.',
  );
});

test('a condensation shows the beginning of its summary, which cannot control the terminal', () => {
  const summary = `## Goals\n\u001B[2JBread\n${'more\n'.repeat(20)}`;
  const fields = { forgotten_event_ids: ['a', 'b'], summary, summary_offset: 2, llm_response_id: 'r' };
  const lines = linesOf(Condensation.create(fields, stamp)).split('\n');
  expect(lines.slice(0, 3)).toEqual(['… 2 events are no longer shown to the model', '  ## Goals', '  Bread']);
  expect(lines.length).toBeLessThan(16);
});

test('calls that differ are never shown alike to a person who approves them', () => {
  const names = ['/a', '/a after line 3', '/a lines 1 to 2', '/a\n', '/a<000A>', '/a\\n', '/a ', '/a<0020>'];
  const texts = [
    'x',
    'x\n',
    'x<000A>',
    'x\u200B',
    'x<200B>',
    'x<003C>200B>',
    'x<<200B>',
    '\t',
    '⇥   ',
    'x ',
    'x<0020>',
  ];
  const commands = [
    '',
    '(poll)',
    'ls',
    'ls (in a fresh shell)',
    'ls (timeout 3 s)',
    'ls\n(in a fresh shell) $ ls',
    ...texts,
  ];
  const settings = [{}, { reset: true }, { is_input: true }, { timeout: 3 }, { reset: true, timeout: 3 }];
  const actions = [
    ...commands.flatMap((command) => settings.map((more) => TerminalAction.create({ command, ...more }))),
    ...names.map((path) => FileEditorAction.create({ command: 'create', path, file_text: 'x' })),
    ...names.map((path) => FileEditorAction.create({ command: 'insert', path, insert_line: 3, new_str: 'x' })),
    ...names.map((path) => FileEditorAction.create({ command: 'view', path })),
    ...names.map((path) => FileEditorAction.create({ command: 'view', path, view_range: [1, 2] })),
    ...texts.map((file_text) => FileEditorAction.create({ command: 'create', path: '/a', file_text: `${file_text}y` })),
    ...texts.map((x) => MCPToolAction.create({ data: { x } })),
  ];
  const whole = actions.map((command) => JSON.stringify(callLines(action(command)).map((line) => line.text)));
  expect(whole.filter((lines, index) => whole.indexOf(lines) !== index)).toEqual([]);
});
