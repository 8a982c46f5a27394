import { fileEditor } from './file-editor/file-editor.ts';
import type { FileEditorOptions } from './file-editor/file-editor-options.ts';
import { finish } from './finish.ts';
import { terminal } from './terminal/terminal.ts';
import type { TerminalOptions } from './terminal/terminal-options.ts';
import type { Tool } from './tool.ts';

/** The options of each tool that has some. */
export interface MinimalToolsOptions {
  readonly terminal?: TerminalOptions;
  readonly fileEditor?: FileEditorOptions;
}

/** The least that can do everything, for short prompts: terminal, file editor, finish. */
export function minimalTools(options: MinimalToolsOptions = {}): readonly Tool[] {
  return [terminal(options.terminal), fileEditor(options.fileEditor), finish()];
}
