import type { DefaultToolsOptions } from './default-tools.ts';
import { fileEditor } from './file-editor/file-editor.ts';
import { finish } from './finish.ts';
import { terminal } from './terminal/terminal.ts';
import type { Tool } from './tool.ts';

/** The least that can do everything, for short prompts: terminal, file editor, finish. */
export function minimalTools(options: Omit<DefaultToolsOptions, 'taskTracker'> = {}): readonly Tool[] {
  return [terminal(options.terminal), fileEditor(options.fileEditor), finish()];
}
