import { planningFileEditor, type PlanningFileEditorOptions } from './file-editor/planning-file-editor.ts';
import { finish } from './finish.ts';
import { glob } from './search/glob.ts';
import { grep } from './search/grep.ts';
import type { SearchOptions } from './search/search-options.ts';
import { think } from './think.ts';
import type { Tool } from './tool.ts';

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
