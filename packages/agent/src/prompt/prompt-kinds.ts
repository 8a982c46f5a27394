import { definePartKind, type PartKind } from '@varve/events/specs';
import * as z from 'zod';
import { presetPrompt, promptPresets, type PresetPromptOptions, type PromptPreset } from './preset-prompt.ts';
import { textPrompt, type Prompt } from './prompt.ts';

/** Kind of prompt that can be rebuilt from its spec. */
export type PromptKind = PartKind<Prompt, object>;

const presets = Object.keys(promptPresets) as readonly PromptPreset[];

/** Returns the prompts of this package that can be rebuilt: a new one is an entry here. */
export function promptKinds(sections: Omit<PresetPromptOptions, 'suffix'> = {}): readonly PromptKind[] {
  return [
    definePartKind({
      kind: 'preset',
      options: () => z.object({ preset: z.enum(presets), suffix: z.exactOptional(z.string()) }),
      create: ({ preset, ...rest }): Prompt => presetPrompt(preset, { ...sections, ...rest }),
    }),
    definePartKind({
      kind: 'text',
      options: () => z.object({ text: z.string() }),
      create: ({ text }): Prompt => textPrompt(text),
    }),
  ];
}
