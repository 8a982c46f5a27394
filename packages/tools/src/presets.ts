import type { Redactor } from '@varve/text';
import type { Tool } from './contract/tool.ts';
import type { FileEditorOptions } from './file-editor/file-editor-options.ts';
import { fileEditor } from './file-editor/file-editor.ts';
import { planningFileEditor } from './file-editor/planning-file-editor.ts';
import { finish } from './finish.ts';
import type { SearchOptions } from './search/file-search.ts';
import { glob } from './search/glob.ts';
import { grep } from './search/grep.ts';
import { taskTracker } from './task-tracker.ts';
import type { TerminalOptions } from './terminal/terminal-options.ts';
import { terminal } from './terminal/terminal.ts';
import { think } from './think.ts';

/** Options of {@link defaultTools}, by tool. */
export interface DefaultToolsOptions {
  readonly terminal?: TerminalOptions;
  readonly fileEditor?: FileEditorOptions;
  /** Masks secrets in the terminal and in views of files, before texts are cut. */
  readonly redactor?: Redactor;
}

/**
 * Returns the tools of a coding agent: terminal, file editor, task tracker, think, finish. No process starts before the
 * first call.
 */
export function defaultTools(options: DefaultToolsOptions = {}): readonly Tool[] {
  return [
    terminal({ ...maskedBy(options), ...options.terminal }),
    fileEditor({ ...maskedBy(options), ...options.fileEditor }),
    taskTracker(),
    think(),
    finish(),
  ];
}

/** Options of {@link planningTools}, by tool. */
export interface PlanningToolsOptions {
  readonly search?: SearchOptions;
  /** Masks secrets in found lines and in views of files, before texts are cut. */
  readonly redactor?: Redactor;
}

/**
 * Returns the tools of a planning agent, which changes no file but its plan: glob, grep, planning editor, think,
 * finish.
 */
export function planningTools(options: PlanningToolsOptions = {}): readonly Tool[] {
  const search = { ...maskedBy(options), ...options.search };
  return [glob(search), grep(search), planningFileEditor(maskedBy(options)), think(), finish()];
}

/** Returns the smallest set of tools that covers every task, for short prompts: terminal, file editor, finish. */
export function minimalTools(options: DefaultToolsOptions = {}): readonly Tool[] {
  return [
    terminal({ ...maskedBy(options), ...options.terminal }),
    fileEditor({ ...maskedBy(options), ...options.fileEditor }),
    finish(),
  ];
}

function maskedBy({ redactor }: { readonly redactor?: Redactor }): { readonly redactor?: Redactor } {
  return redactor === undefined ? {} : { redactor };
}
