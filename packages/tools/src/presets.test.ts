import { expect, test } from 'vitest';
import * as entry from './index.ts';
import { defaultTools, minimalTools, planningTools } from './presets.ts';

/** Each tool of the package with the presets that contain it: add a row for a new tool, empty if it joins none. */
const presetsByTool: Readonly<Record<string, readonly string[]>> = {
  applyPatch: [],
  fileEditor: ['default', 'minimal'],
  finish: ['default', 'minimal', 'planning'],
  glob: ['planning'],
  grep: ['planning'],
  planningFileEditor: ['planning'],
  taskTracker: ['default'],
  terminal: ['default', 'minimal'],
  think: ['default', 'planning'],
};

const otherExports = [
  'ToolError',
  'defaultTools',
  'defineBuiltinTool',
  'defineTool',
  'filesOfPatch',
  'minimalTools',
  'namedSecrets',
  'planningTools',
  'pruneToolFiles',
  'realPathOf',
];

test('every exported tool states the presets that contain it', () => {
  expect(Object.keys(entry).toSorted()).toEqual([...Object.keys(presetsByTool), ...otherExports].toSorted());
});

test.for([
  ['default', defaultTools()],
  ['minimal', minimalTools()],
  ['planning', planningTools()],
] as const)('the %s preset contains exactly the tools that state it', ([preset, tools]) => {
  const stated = Object.entries(presetsByTool).filter(([, presets]) => presets.includes(preset));
  const names = stated.map(([factory]) => factory.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`));
  expect(tools.map(({ name }) => name).toSorted()).toEqual(names.toSorted());
});

test('the default tools have the names and kinds of the reference, in its order', () => {
  const definitions = defaultTools().map(({ name, definition }) => [
    name,
    definition.kind,
    definition['action_type'],
    definition['observation_type'],
  ]);
  expect(definitions).toEqual([
    ['terminal', 'TerminalTool', 'TerminalAction', 'TerminalObservation'],
    ['file_editor', 'FileEditorTool', 'FileEditorAction', 'FileEditorObservation'],
    ['task_tracker', 'TaskTrackerTool', 'TaskTrackerAction', 'TaskTrackerObservation'],
    ['think', 'ThinkTool', 'ThinkAction', 'ThinkObservation'],
    ['finish', 'FinishTool', 'FinishAction', 'FinishObservation'],
  ]);
});

test('the planning tools are read-only except for the editor of the plan', () => {
  const hints = planningTools().map(({ name, definition, annotations }) => [
    name,
    definition.kind,
    annotations.readOnlyHint,
  ]);
  expect(hints).toEqual([
    ['glob', 'GlobTool', true],
    ['grep', 'GrepTool', true],
    ['planning_file_editor', 'PlanningFileEditorTool', false],
    ['think', 'ThinkTool', true],
    ['finish', 'FinishTool', true],
  ]);
});

test('the minimal tools are terminal, file editor and finish', () => {
  expect(minimalTools().map(({ name }) => name)).toEqual(['terminal', 'file_editor', 'finish']);
});

test('descriptions contain the configured limits', () => {
  const [terminal, editor] = defaultTools({
    terminal: { noChangeTimeoutMs: 7000, maxOutputChars: 123 },
    fileEditor: { maxViewChars: 456 },
  });
  expect(terminal?.description).toMatch(/7 s[\s\S]*123 characters/);
  expect(editor?.description).toContain('456 characters');
});
