import type { Tool } from './contract/tool.ts';
import type { FileEditorOptions } from './file-editor/file-editor-options.ts';
import { fileEditor } from './file-editor/file-editor.ts';
import { planningFileEditor, type PlanningFileEditorOptions } from './file-editor/planning-file-editor.ts';
import { finish } from './finish.ts';
import type { SearchOptions } from './search/file-search.ts';
import { glob } from './search/glob.ts';
import { grep } from './search/grep.ts';
import { taskTracker, type TaskTrackerOptions } from './task-tracker.ts';
import type { TerminalOptions } from './terminal/terminal-options.ts';
import { terminal } from './terminal/terminal.ts';
import { think } from './think.ts';

/** The options of each tool that has some. */
export interface DefaultToolsOptions {
  readonly terminal?: TerminalOptions;
  readonly fileEditor?: FileEditorOptions;
  readonly taskTracker?: TaskTrackerOptions;
}

/** What a coding agent needs: terminal, file editor, task tracker, think, finish. Nothing is started before it is used. */
export function defaultTools(options: DefaultToolsOptions = {}): readonly Tool[] {
  return [
    terminal(options.terminal),
    fileEditor(options.fileEditor),
    taskTracker(options.taskTracker),
    think(),
    finish(),
  ];
}

/** The options of each tool that has some. */
export interface PlanningToolsOptions {
  readonly search?: SearchOptions;
  readonly planningFileEditor?: PlanningFileEditorOptions;
}

/** What an agent needs that plans and changes nothing but its plan: glob, grep, planning editor, think, finish. */
export function planningTools(options: PlanningToolsOptions = {}): readonly Tool[] {
  return [
    glob(options.search),
    grep(options.search),
    planningFileEditor(options.planningFileEditor),
    think(),
    finish(),
  ];
}

/** The least that can do everything, for short prompts: terminal, file editor, finish. */
export function minimalTools(options: Omit<DefaultToolsOptions, 'taskTracker'> = {}): readonly Tool[] {
  return [terminal(options.terminal), fileEditor(options.fileEditor), finish()];
}
