import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { text } from '@varve/events';
import { redactor as redactorOf, type Redactor } from '@varve/text';
import { describe, expect, test } from 'vitest';
import * as z from 'zod';
import { clientTool } from '../src/client/client-tool.ts';
import type { Tool } from '../src/contract/tool.ts';
import { defineTool } from '../src/contract/define-tool.ts';
import { fileEditor } from '../src/file-editor/file-editor.ts';
import { planningFileEditor } from '../src/file-editor/planning-file-editor.ts';
import { finish } from '../src/finish.ts';
import { memory } from '../src/memory/memory.ts';
import { applyPatch } from '../src/patch/apply-patch.ts';
import { remoteFileEditor, remoteTerminal } from '../src/remote/remote-tools.ts';
import { glob } from '../src/search/glob.ts';
import { grep } from '../src/search/grep.ts';
import { findRipgrep } from '../src/search/ripgrep.ts';
import { taskTracker } from '../src/task-tracker.ts';
import { terminal } from '../src/terminal/terminal.ts';
import { think } from '../src/think.ts';
import { wrapTool } from '../src/contract/wrap-tool.ts';
import { toolContract, type ToolSubject } from '../src/testing/tool-contract.ts';
import { localWorkspace } from '../src/workspace/local-workspace.ts';

const sum = (): ReturnType<typeof defineTool> =>
  defineTool({
    name: 'sum',
    description: 'Adds two numbers; a sum of zero never settles.',
    input: z.object({ one: z.number().describe('The first.'), other: z.number().default(1).describe('The second.') }),
    effect: 'read',
    execute: ({ one, other }) =>
      one + other === 0 ? new Promise<number>(() => undefined) : Promise.resolve(one + other),
  });

const shell = (pty: boolean): ToolSubject => ({
  open: () => terminal({ pty }),
  inputs: () => [
    { command: 'echo made > file; cat file' },
    { command: 'false' },
    { command: 'seq 100000' },
    { command: 'env > kept; env' },
  ],
  slow: () => ({ command: 'sleep 30; echo late' }),
  masked: {
    open: (redactor) => terminal({ pty, redactor, maxOutputChars: 1000 }),
    // In two parts, so that the secret is neither in the command nor in the file that contains it.
    input: (secret) => ({
      command: `a='${secret.slice(0, 9)}'; b='${secret.slice(9)}'; for i in $(seq 300); do echo "$i $a$b"; done; echo "$a$b" | base64`,
      timeout: 60,
    }),
  },
});

/** Options of tools that work in any directory of this machine, as on an agent-server. */
const remote = (redactor: Redactor = redactorOf([], { replacement: '' })) => ({
  workspace: localWorkspace('/'),
  redactor,
});

const ripgrep = await findRipgrep(undefined, process.env['PATH']);

const grepping: ToolSubject = {
  open: grep,
  prepare: (workspace) => writeFile(join(workspace, 'file'), 'one\n'.repeat(100_000)),
  inputs: (path) => [
    { pattern: 'one', path },
    { pattern: 'two', path, include: '*.ts' },
    { pattern: '(', path },
  ],
};

const globbing: ToolSubject = {
  open: glob,
  prepare: (workspace) => writeFile(join(workspace, 'file'), 'one\n'),
  inputs: (path) => [
    { pattern: '*', path },
    { pattern: '*.ts', path: `${path}/missing` },
  ],
};

const anything = (): ReturnType<typeof defineTool> =>
  defineTool({
    name: 'anything',
    description: 'Returns the number of its fields.',
    input: z.looseObject({ first: z.string().describe('One of them.') }),
    effect: 'read',
    resources: () => [],
    execute: async (input) => Object.keys(input).length,
  });

/** Subjects of the contract: add a row for a new tool. */
const subjects: Record<string, ToolSubject> = {
  'terminal on a pty': shell(true),
  'terminal on pipes': shell(false),
  'terminal, wrapped': {
    ...shell(false),
    open: () => wrapTool(terminal({ pty: false }), async (_call, execute) => execute()),
  },
  file_editor: {
    open: fileEditor,
    async prepare(workspace) {
      await mkdir(join(workspace, 'folder'));
      await writeFile(join(workspace, 'folder/file'), 'one\ntwo\n');
      await writeFile(join(workspace, 'long'), 'line\n'.repeat(100_000));
    },
    inputs: (workspace) => [
      { command: 'view', path: workspace },
      { command: 'view', path: join(workspace, 'folder/file'), view_range: [1, -1] },
      { command: 'view', path: join(workspace, 'missing') },
      { command: 'view', path: join(workspace, 'long') },
      { command: 'create', path: join(workspace, 'new/file'), file_text: 'three' },
      { command: 'str_replace', path: join(workspace, 'folder/file'), old_str: 'one', new_str: '1' },
      { command: 'insert', path: join(workspace, 'folder/file'), insert_line: 0, new_str: 'zero' },
      { command: 'undo_edit', path: join(workspace, 'folder/file') },
    ],
  },
  'terminal on an agent-server': {
    open: () => remoteTerminal(remote()),
    inputs: () => [{ command: 'echo made' }, { command: 'false' }, { command: 'seq 100000' }],
    slow: () => ({ command: 'sleep 30; echo late' }),
    masked: {
      open: (redactor) => remoteTerminal(remote(redactor)),
      input: (secret) => ({
        command: `a='${secret.slice(0, 9)}'; b='${secret.slice(9)}'; seq 20000; echo "$a$b"`,
      }),
    },
  },
  'file_editor on an agent-server': {
    open: () => remoteFileEditor(remote()),
    prepare: (workspace) => writeFile(join(workspace, 'file'), 'one\n'),
    inputs: (workspace) => [
      { command: 'view', path: workspace },
      { command: 'view', path: join(workspace, 'file') },
      { command: 'view', path: join(workspace, 'missing') },
      { command: 'create', path: join(workspace, 'new/file'), file_text: 'three' },
      { command: 'str_replace', path: join(workspace, 'file'), old_str: 'one', new_str: '1' },
      { command: 'insert', path: join(workspace, 'file'), insert_line: 0, new_str: 'zero' },
      { command: 'undo_edit', path: join(workspace, 'file') },
    ],
  },
  planning_file_editor: {
    open: planningFileEditor,
    prepare: (workspace) => writeFile(join(workspace, 'file'), 'one\n'),
    inputs: (workspace) => {
      const path = join(workspace, '.agents_tmp/PLAN.md');
      return [
        { command: 'view', path },
        { command: 'view', path: workspace },
        { command: 'insert', path, insert_line: 1, new_str: 'Why.' },
        { command: 'undo_edit', path },
        { command: 'insert', path: join(workspace, 'file'), insert_line: 0, new_str: 'x' },
      ];
    },
  },
  apply_patch: {
    open: applyPatch,
    prepare: (workspace) => writeFile(join(workspace, 'file'), 'one\n'),
    inputs: () => [
      { patch: '*** Begin Patch\n*** Update File: file\n-one\n+two\n*** Add File: new\n+x\n*** End Patch' },
      { patch: '*** Begin Patch\n*** Delete File: missing\n*** End Patch' },
      { patch: 'nonsense' },
    ],
  },
  grep: grepping,
  'grep on an agent-server': { ...grepping, open: () => grep({ ...remote(), ripgrep }) },
  glob: globbing,
  'glob on an agent-server': { ...globbing, open: () => glob({ ...remote(), ripgrep }) },
  task_tracker: {
    open: taskTracker,
    inputs: () => [
      {},
      { command: 'plan', task_list: [{ title: 'First' }, { title: 'Second', notes: 'Later.' }] },
      { command: 'view' },
    ],
  },
  memory: {
    open: () => memory({ store: join(process.env['TMPDIR'] ?? '', `memories-${process.pid}`) }),
    inputs: () => [
      { command: 'view' },
      { command: 'create', path: '/memories/a', file_text: 'one\n' },
      { command: 'str_replace', path: '/memories/a', old_str: 'one', new_str: 'two' },
      { command: 'insert', path: '/memories/a', insert_line: 0, insert_text: 'zero' },
      { command: 'view', path: '/memories/a', view_range: [1, 2] },
      { command: 'rename', old_path: '/memories/a', new_path: '/memories/b' },
      { command: 'delete', path: '/memories/../etc' },
    ],
  },
  think: { open: think, inputs: () => [{ thought: 'Why?' }] },
  finish: { open: finish, inputs: () => [{ message: 'Done.' }, { message: '' }] },
  'finish with a schema of the answer': {
    open: () =>
      finish({
        responseSchema: { type: 'object', properties: { ok: { type: 'boolean', description: 'Whether.' } } },
      }),
    inputs: () => [{ message: 'Done.', ok: true }, { message: 'Done.' }],
  },
  'a tool of a client': {
    open: () =>
      clientTool({
        name: 'show_panel',
        description: 'Shows a panel.',
        parameters: {
          type: 'object',
          additionalProperties: false,
          properties: {
            panel: { type: 'string', description: 'Which.' },
            width: { type: 'integer', default: 80, description: 'In columns.' },
          },
          required: ['panel'],
        },
      }),
    inputs: () => [{ panel: 'diff' }, { panel: 'shell', width: 100 }],
  },
  'a tool of a user': { open: sum, inputs: () => [{ one: 1, other: 2 }, { one: 3 }], slow: () => ({ one: -1 }) },
  'an open tool of a user': { open: anything, inputs: () => [{ first: '', more: [1] }], isOpen: true },
};

/** Broken tools, each of which violates one rule of the contract. */
const broken: Readonly<Record<string, (right: Tool) => Partial<Tool>>> = {
  'writes while it hints that it reads': () => ({ effect: () => 'write' }),
  'returns another effect each time': () => {
    let calls = 0;
    return { effect: () => ((calls += 1) % 2 === 0 ? 'read' : 'idempotent') };
  },
  'names a resource without its type': () => ({ resources: () => ['file'] }),
  'changes its arguments': (right) => ({
    parse: (input) => right.parse(Object.assign(Object(input), { thought: 'x' })),
  }),
  'omits from the payload a field that it fills in again': (right) => ({
    parameters: { ...right.parameters, required: [] },
    parse: (input) => right.parse({ thought: 'None.', ...Object(input) }),
    toAction: () => ({ kind: 'ThinkAction' }),
    fromAction: (action) => right.fromAction({ thought: 'Why?', ...action }),
  }),
  'does not check stored calls': () => ({ fromAction: ({ kind: _kind, ...fields }) => fields }),
  'shows more than the limit': (right) => ({
    execute: async (input, context) => ({
      ...(await right.execute(input, context)),
      content: [text('x'.repeat(50_001))],
    }),
  }),
  'shows the environment of its host': (right) => ({
    execute: async (input, context) => ({
      ...(await right.execute(input, context)),
      content: [text(JSON.stringify(process.env))],
    }),
  }),
  'has an alias that models cannot call': () => ({ aliases: ['two words'] }),
  'breaks valid arguments by its repair': () => ({ repairInput: () => ({}) }),
  'requires what it does not describe': ({ parameters }) => ({ parameters: { ...parameters, required: ['missing'] } }),
};

describe('a tool that', () => {
  test.for(Object.entries(broken))('%s fails the contract', async ([, breakIt]) => {
    const open = (): Tool => {
      const right: Tool = think();
      return { ...right, ...breakIt(right) };
    };
    const subject: ToolSubject = { open, inputs: () => [{ thought: 'Why?' }] };
    const results = await Promise.allSettled(toolContract.map((check) => check.run(subject)));
    expect(results.filter(({ status }) => status === 'rejected')).not.toEqual([]);
  });
});

test('a tool whose end is the end of the others fails the contract, and so does one value with close for two', async () => {
  let isEnded = false;
  const lender = (): Tool => ({
    ...think(),
    execute: (input, context) =>
      isEnded ? Promise.reject(new Error('ended')) : think().execute(input as never, context),
    close: async () => void (isEnded = true),
  });
  const once: Tool = { ...think(), close: async () => undefined };
  const checks = toolContract.filter(({ title }) => title.startsWith('serves'));
  for (const open of [lender, () => once]) {
    const results = await Promise.allSettled(
      checks.map(async (check) => {
        isEnded = false;
        await check.run({ open, inputs: () => [{ thought: 'Why?' }] });
      }),
    );
    expect(results.map(({ status }) => status)).toEqual(checks.map(() => 'rejected'));
  }
});

test.for([true, false])(
  'a terminal without masking, or with the credentials of its host, fails the contract',
  async (pty) => {
    const right = shell(pty);
    const open = (): Tool => terminal({ pty, env: { KEY: 'swordfish-of-the-host' }, maxOutputChars: 1000 });
    const checks = toolContract.filter(({ title }) => title.startsWith('does not show'));
    const subject: ToolSubject = { ...right, open, masked: { open, input: right.masked?.input ?? (() => ({})) } };
    const results = await Promise.allSettled(checks.map((check) => check.run(subject)));
    expect(results.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
  },
);

describe.for(Object.entries(subjects))('%s', ([, subject]) => {
  test.for(toolContract)('$title', (check) => check.run(subject));
});
