export { presetPrompt, promptPresets, type PresetPromptOptions, type PromptPreset } from './preset-prompt.ts';
export {
  readProjectContext,
  type ProjectContext,
  type ProjectContextOptions,
} from '../context/read-project-context.ts';
export type { ContextFile, SkippedContextFile } from '../context/context-file.ts';
export { textPrompt } from './prompt.ts';
