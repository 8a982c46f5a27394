import { expect, test } from 'vitest';
import { defaultTools, minimalTools, planningTools } from './presets.ts';

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
