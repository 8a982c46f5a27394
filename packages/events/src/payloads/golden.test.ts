import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { text } from '../content.ts';
import * as payloads from './index.ts';
import type { Payload } from './index.ts';

const content = [text('Done.')];
const {
  FileEditorAction,
  FileEditorObservation,
  FinishAction,
  FinishObservation,
  MCPToolAction,
  MCPToolObservation,
  TaskTrackerAction,
  TaskTrackerObservation,
  TerminalAction,
  TerminalObservation,
  ThinkAction,
  ThinkObservation,
} = payloads;

/** One payload of each kind, with as many fields as it can have. */
const made: Readonly<Record<string, Payload>> = {
  FileEditorAction: FileEditorAction.create({
    command: 'str_replace',
    path: '/w/a.txt',
    file_text: 'f',
    old_str: 'o',
    new_str: 'n',
    insert_line: 3,
    view_range: [1, -1],
  }),
  FileEditorObservation: FileEditorObservation.create({
    content,
    command: 'create',
    path: '/w/a.txt',
    prev_exist: false,
    old_content: '',
    new_content: 'f',
  }),
  FinishAction: FinishAction.create({ message: 'All green.' }),
  FinishObservation: FinishObservation.create({ content }),
  MCPToolAction: MCPToolAction.create({ data: { path: '/w', deep: { nothing: null } } }),
  MCPToolObservation: MCPToolObservation.create({ content, is_error: true, tool_name: 'search' }),
  TaskTrackerAction: TaskTrackerAction.create({ command: 'plan', task_list: [{ title: 'Read' }] }),
  TaskTrackerObservation: TaskTrackerObservation.create({
    content,
    command: 'plan',
    task_list: [{ title: 'Read', notes: 'all of it', status: 'in_progress' }],
  }),
  TerminalAction: TerminalAction.create({ command: 'C-c', is_input: true, timeout: 2.5 }),
  TerminalObservation: TerminalObservation.create({
    content,
    command: 'ls',
    exit_code: 0,
    timeout: true,
    metadata: { exit_code: 0, pid: 7, username: 'u', hostname: 'h', working_dir: '/w', py_interpreter_path: '/p' },
    full_output_save_dir: '/w/.out',
  }),
  ThinkAction: ThinkAction.create({ thought: 'Hm.' }),
  ThinkObservation: ThinkObservation.create({ content }),
};

const golden = (kind: string): string =>
  readFileSync(new URL(`../golden/${kind}.json`, import.meta.url), 'utf8').trimEnd();

describe.for(Object.entries(made))('%s', ([kind, payload]) => {
  test('is written as the golden file says', () => {
    expect(JSON.stringify(payload)).toBe(golden(kind));
  });

  test('is made again from its golden file', () => {
    const { kind: _kind, ...fields } = JSON.parse(golden(kind)) as Record<string, unknown>;
    const definition = Object.values(payloads).find(
      (one) => typeof one === 'object' && 'kind' in one && one.kind === kind,
    );
    expect(definition && 'create' in definition && definition.create(fields as never)).toEqual(payload);
  });
});

test('every payload kind has a golden file', () => {
  const kinds = Object.values(payloads).flatMap((one) =>
    typeof one === 'object' && 'create' in one ? [one.kind] : [],
  );
  expect(Object.keys(made)).toEqual(kinds);
});
