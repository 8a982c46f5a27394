export {
  codingPrompt,
  presetPrompt,
  promptPresets,
  type PresetPromptOptions,
  type PromptPreset,
} from './preset-prompt.ts';
export { textPrompt, type Prompt, type PromptContext, type PromptText } from './prompt.ts';
