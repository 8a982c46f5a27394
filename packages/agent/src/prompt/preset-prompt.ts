import { definePartKind, type PartKind } from '@varve/events/specs';
import * as z from 'zod';
import { textPrompt, type Prompt, type PromptContext } from './prompt.ts';
import type { ContextFile } from '@varve/skills';
import {
  contextFiles,
  environment,
  briefFinish,
  finish,
  finishPlan,
  plan,
  planTools,
  react,
  role,
  briefSafety,
  safety,
  secretNames,
  tools,
  briefWork,
  work,
} from './sections.ts';
/**
 * Fixed sections of each preset, in order. They contain nothing of a conversation or a machine, so that providers cache
 * them across conversations. The presets of tools in `@varve/tools` have the same names.
 */
export const promptPresets = {
  default: [role.default, work, tools, safety, finish],
  planning: [role.planning, plan, planTools, safety, finishPlan],
  react: [role.default, react, work, tools, safety, finish],
  minimal: [role.minimal, briefWork, briefSafety, briefFinish],
} as const satisfies Readonly<Record<string, readonly string[]>>;

/** Name of a prompt of this package. */
export type PromptPreset = keyof typeof promptPresets;

/** Options of {@link presetPrompt}: what varies between conversations, in the order of its sections. */
export interface PresetPromptOptions {
  /** Files of `readProjectContext`. Their text is stored with the conversation, not in the spec of the agent. */
  readonly files?: readonly ContextFile[];
  /** List of available skills as the model reads it; not part of the spec. */
  readonly skills?: string;
  /** Instructions of the application or the user. */
  readonly suffix?: string;
  /** Names of the secrets that commands may use; not part of the spec. */
  readonly secretNames?: readonly string[];
}

/** Returns the prompt of a preset with sections for one conversation. Empty sections are left out. */
export function presetPrompt(preset: PromptPreset, options: PresetPromptOptions = {}): Prompt {
  const { files = [], skills, suffix, secretNames: names = [] } = options;
  const prompt = (context: PromptContext) => ({
    fixed: joined(promptPresets[preset]),
    dynamic: joined([environment(context), contextFiles(files), skills, suffix, secretNames(names)]),
  });
  return Object.assign(prompt, { spec: { kind: 'preset', preset, ...(suffix !== undefined && { suffix }) } });
}

/** Default prompt: a careful engineer on another person's project. */
export const codingPrompt: Prompt = presetPrompt('default');

function joined(sections: readonly (string | undefined)[]): string {
  return sections.flatMap((section) => section?.trim() || []).join('\n\n');
}

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
