import type { ContextFile } from '@varve/skills';
import type { Prompt, PromptContext } from './prompt.ts';
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
