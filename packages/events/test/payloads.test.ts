import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { text } from '../src/content.ts';
import * as payloads from '../src/payloads/index.ts';
import type { Payload, PayloadDefinition } from '../src/payloads/index.ts';
import { observationKinds } from '../src/payloads/observation-kinds.ts';

type Definition = PayloadDefinition<string, Readonly<Record<string, never>>>;

const definitions: ReadonlyMap<string, Definition> = new Map(
  Object.values(payloads).flatMap((one) =>
    typeof one === 'object' && 'create' in one ? [[one.kind, one as unknown as Definition]] : [],
  ),
);

const golden = (kind: string): string =>
  readFileSync(new URL(`golden/records/${kind}.json`, import.meta.url), 'utf8').trimEnd();

/** The fields of one payload of each kind, as many as it can have, in any order. */
const content = [text('Done.')];
const editor = { command: 'str_replace', path: '/w/a.txt', new_str: 'n', old_str: 'o', file_text: 'f' };
const edited = { content, command: 'create', path: '/w/a.txt', prev_exist: false, new_content: 'f', old_content: '' };
const metadata = { exit_code: 0, pid: 7, username: 'u', hostname: 'h', working_dir: '/w', py_interpreter_path: '/p' };
const found = { content, pattern: 'a*', search_path: '/w', truncated: true };
const entry = { name: 'a', path: '/w/a', is_directory: false, size: 3, modified_time: '2026-01-01T12:00:00' };
const changed = { content, file_path: '/w/a', is_new_file: true, old_content: '', new_content: 'n' };
const seen = { image_index: 0, question: 'What?', profile_name: 'eyes' };
const fields: Readonly<Record<string, Readonly<Record<string, unknown>>>> = {
  ApplyPatchAction: { patch: '*** Begin Patch\n*** End Patch' },
  ApplyPatchObservation: {
    content,
    message: 'Done!',
    fuzz: 1,
    commit: { changes: { 'a.txt': { type: 'update', old_content: 'o', new_content: 'n', move_path: 'b.txt' } } },
  },
  BrowserClickAction: { index: 3, new_tab: true },
  BrowserCloseTabAction: { tab_id: 'ab12' },
  BrowserGetContentAction: { extract_links: true, start_from_char: 10 },
  BrowserGetStateAction: { include_screenshot: true },
  BrowserGetStorageAction: {},
  BrowserGoBackAction: {},
  BrowserListTabsAction: {},
  BrowserNavigateAction: { url: 'https://example.com' },
  BrowserObservation: { content, screenshot_data: 'iVBORw0KGgo=', full_output_save_dir: '/w/.out' },
  BrowserScrollAction: { direction: 'up' },
  BrowserSetStorageAction: { storage_state: { cookies: [], origins: null } },
  BrowserStartRecordingAction: {},
  BrowserStopRecordingAction: {},
  BrowserSwitchTabAction: { tab_id: 'ab12' },
  BrowserTypeAction: { text: 'hello', index: 3 },
  ClientToolObservation: { content },
  ConsultTomAction: { reason: 'Unclear.', use_user_message: false, custom_query: 'What does she want?' },
  ConsultTomObservation: { content: [], suggestions: 'Be brief.', confidence: 0.75, reasoning: 'She said so.' },
  DelegateAction: { command: 'spawn', ids: ['a'], agent_types: ['explore'], tasks: { a: 'Look.' } },
  DelegateObservation: { content, command: 'delegate' },
  EditAction: { file_path: '/w/a', old_string: 'o', new_string: 'n', expected_replacements: 2 },
  EditObservation: { ...changed, replacements_made: 2 },
  FileEditorAction: { ...editor, insert_line: 3, view_range: [1, -1] },
  FileEditorObservation: edited,
  FinishAction: { message: 'All green.' },
  FinishObservation: { content },
  GlobAction: { pattern: '**/*.ts', path: '/w' },
  GlobObservation: { ...found, files: ['/w/a.ts'] },
  GrepAction: { pattern: 'fn main', path: '/w', include: '*.ts' },
  GrepObservation: { ...found, matches: ['/w/a.ts'], include_pattern: '*.ts' },
  InvokeSkillAction: { name: 'pdf' },
  InvokeSkillObservation: { content, skill_name: 'pdf' },
  ListDirectoryAction: { recursive: true },
  ListDirectoryObservation: { content, dir_path: '/w', entries: [entry], total_count: 1, is_truncated: false },
  MCPToolAction: { data: { path: '/w', deep: { nothing: null } } },
  MCPToolObservation: { content, is_error: true, tool_name: 'search' },
  PlanningFileEditorAction: { ...editor, insert_line: 3, view_range: [1, -1] },
  PlanningFileEditorObservation: edited,
  ReadFileAction: { file_path: '/w/a', offset: 10, limit: 5 },
  ReadFileObservation: {
    content,
    file_path: '/w/a',
    file_content: 'f',
    is_truncated: true,
    lines_shown: [11, 15],
    total_lines: 20,
  },
  SleeptimeComputeAction: {},
  SleeptimeComputeObservation: { message: 'Learned.', sessions_processed: 2 },
  SwitchLLMAction: { profile_name: 'fast', reason: 'Easy now.' },
  SwitchLLMObservation: { content, profile_name: 'fast', reason: 'Easy now.', active_model: 'm-1' },
  TaskAction: { description: 'look around', prompt: 'Look.', subagent_type: 'explore', resume: 'task_00000001' },
  TaskObservation: { content, task_id: 'task_00000001', subagent: 'explore', status: 'completed' },
  TaskTrackerAction: { command: 'plan', task_list: [{ title: 'Read' }] },
  TaskTrackerObservation: {
    content,
    command: 'plan',
    task_list: [{ title: 'Read', notes: 'all of it', status: 'in_progress' }],
  },
  TerminalAction: { command: 'C-c', is_input: true, timeout: 2.5 },
  TerminalObservation: {
    content,
    command: 'ls',
    exit_code: 0,
    timeout: true,
    metadata,
    full_output_save_dir: '/w/.out',
  },
  ThinkAction: { thought: 'Hm.' },
  ThinkObservation: { content },
  VisionInspectAction: seen,
  VisionInspectObservation: { content, ...seen, model: 'm-1', base_url: 'https://example.com', answer: 'A cat.' },
  WorkflowAction: { name: 'review', script: 'flow', max_concurrency: 4 },
  WorkflowObservation: { content, name: 'review', status: 'completed' },
  WriteFileAction: { file_path: '/w/a', content: 'n' },
  WriteFileObservation: changed,
};

describe.for([...definitions])('%s', ([kind, definition]) => {
  const made = definition.create((fields[kind] ?? {}) as never);

  test('is written as the golden file says', async () => {
    await expect(`${JSON.stringify(made)}\n`).toMatchFileSnapshot(`golden/records/${kind}.json`);
  });

  test('is made again from its golden file', () => {
    const { kind: _kind, ...own } = JSON.parse(golden(kind)) as Record<string, unknown>;
    expect(definition.create(own as never)).toEqual(made);
  });

  test('reads back what its golden file holds, and takes null for absence', () => {
    const payload = JSON.parse(golden(kind)) as Payload;
    expect(definition.read(payload)).toEqual(made);
    const optional = Object.entries(definition.fields.shape).flatMap(([name, field]) =>
      (field as { isOptional(): boolean }).isOptional() ? [name] : [],
    );
    const nulls = Object.fromEntries(optional.map((name) => [name, null]));
    const bare = Object.fromEntries(Object.entries(payload).filter(([name]) => !optional.includes(name)));
    expect(definition.read({ ...payload, ...nulls })).toEqual(definition.read(bare as Payload));
  });

  test('refuses unknown fields when made and keeps them when read', () => {
    const payload = JSON.parse(golden(kind)) as Payload;
    expect(() => definition.create({ ...fields[kind], invented: 1 } as never)).toThrow('invented');
    expect(definition.read({ ...payload, invented: { deep: null } })).toMatchObject({ invented: { deep: null } });
  });
});

test('every payload kind has its fields here, and each action its observation', () => {
  expect([...definitions.keys()].toSorted()).toEqual(Object.keys(fields).toSorted());
});

test('the model reads each observation as its kind says', () => {
  const observations = [...definitions.keys()].filter((kind) => kind.endsWith('Observation'));
  expect(observationKinds.map(({ kind }) => kind).toSorted()).toEqual(observations.toSorted());
});

test('a payload that is of another kind or broken is not read', () => {
  const { TerminalAction } = payloads;
  expect(TerminalAction.read(undefined)).toBeUndefined();
  expect(TerminalAction.read({ thought: 'x', kind: 'ThinkAction' })).toBeUndefined();
  expect(
    payloads.FileEditorAction.read({ command: 'view', path: '/a', kind: 'PlanningFileEditorAction' }),
  ).toBeUndefined();
  expect(TerminalAction.read({ command: 7, kind: 'TerminalAction' })).toBeUndefined();
});
