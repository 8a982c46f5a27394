import { buildPart } from '@varve/events/specs';
import { partKindContract } from '@varve/events/testing';
import { redactor } from '@varve/text';
import { expect, test } from 'vitest';
import type { Tool } from '../index.ts';
import { defaultTools, minimalTools, planningTools } from '../presets.ts';
import { toolKinds, toolPresets, type ToolKindContext } from './tool-kinds.ts';

const kindsWithMemory = () => toolKinds(() => ({ memory: { store: '/none' } }));
const context: ToolKindContext = { conversationId: 'c', redactor: redactor([], { replacement: '' }) };
const schema = { type: 'object', properties: { answer: { type: 'string' } } };

/** Options of the kinds that have any: add a line for a new one. */
const examples: Readonly<Record<string, object>> = {
  terminal: { maxOutputChars: 100 },
  file_editor: { maxViewChars: 100 },
  grep: { maxFiles: 3 },
  memory: { maxEntries: 3 },
  finish: { responseSchema: schema },
};

test.for(
  partKindContract.flatMap((check) => kindsWithMemory().map((kind) => [kind.kind, check.title, kind, check] as const)),
)('%s %s', ([name, , kind, check]) => {
  const example = { kind: name, ...examples[name] };
  // A tool has no spec: its options are the spec, and its name is that of the kind.
  let received: unknown;
  const watched = { ...kind, create: (options: never) => (received = kind.create(options, context)) && { options } };
  check.run({
    kind: watched,
    example,
    contextAt: () => context,
    specOf: ({ options }: { readonly options: object }) => ({
      kind: (received as readonly Tool[])[0]?.name ?? '',
      ...options,
    }),
  });
});

test.for([
  ['default', defaultTools()],
  ['planning', planningTools()],
  ['minimal', minimalTools()],
] as const)('the names of the %s preset create its tools', ([preset, tools]) => {
  const kinds = toolKinds();
  const made = toolPresets[preset].flatMap((kind) =>
    buildPart({ kind }, { registry: kinds, path: [], contextAt: () => context }),
  );
  expect(made.map(({ definition }) => definition)).toEqual(tools.map(({ definition }) => definition));
});

test('a spec can set no program, variable, path or directory', () => {
  const ignored: string[] = [];
  const spec = { kind: 'terminal', shell: '/tmp/evil', env: { BASH_ENV: '/tmp/evil' }, inheritNames: ['KEY'] };
  const editor = { kind: 'file_editor', jail: 'unrestricted', roots: ['/'], historyDir: '/etc' };
  for (const toolSpec of [spec, editor]) {
    buildPart(toolSpec, {
      registry: toolKinds(),
      path: [],
      contextAt: () => context,
      onIgnored: ({ path }) => ignored.push(path),
    });
  }
  expect(ignored).toEqual(['shell', 'env', 'inheritNames', 'jail', 'roots', 'historyDir']);
});

test('tools are created by the class names of the reference too', () => {
  for (const kind of ['FinishTool', 'ThinkTool', 'BashTool', 'TerminalTool', 'FileEditorTool', 'TaskTrackerTool']) {
    expect(buildPart({ kind }, { registry: toolKinds(), path: [], contextAt: () => context })).toHaveLength(1);
  }
});
