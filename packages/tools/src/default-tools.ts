import { fileEditor } from './file-editor/file-editor.ts';
import type { FileEditorOptions } from './file-editor/file-editor-options.ts';
import { finish } from './finish.ts';
import { taskTracker, type TaskTrackerOptions } from './task-tracker.ts';
import { terminal } from './terminal/terminal.ts';
import type { TerminalOptions } from './terminal/terminal-options.ts';
import { think } from './think.ts';
import type { Tool } from './tool.ts';

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
