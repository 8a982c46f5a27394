export { presetPrompt, promptPresets, type PresetPromptOptions, type PromptPreset } from './preset-prompt.ts';
export { textPrompt } from './prompt.ts';
