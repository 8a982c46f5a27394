import { text } from '@varve/events';
import { SystemPromptEvent } from '@varve/events/kinds';
import type { View } from '@varve/events/projections';
import type { Tool } from '@varve/tools';
import type { Draft } from '../log/drafts.ts';
import type { Prompt } from './prompt.ts';
import { type Skill, skillsPrompt } from '@varve/skills';

/** Options of {@link promptDraft}. */
export interface PromptDraftOptions {
  readonly workspace: string;
  readonly tools: readonly Tool[];
  readonly skills: readonly Skill[];
  /** UTC milliseconds. */
  readonly now: () => number;
}

/**
 * Returns the system prompt for a branch that has none yet. A branch keeps its prompt, so that its requests stay equal.
 */
export function promptDraft(
  view: View,
  prompt: Prompt,
  { workspace, tools, skills, now }: PromptDraftOptions,
): readonly Draft[] {
  if (view.events.some((event) => SystemPromptEvent.is(event))) return [];
  const date = new Date(now());
  const today = [date.getFullYear(), date.getMonth() + 1, date.getDate()].map((part) => String(part).padStart(2, '0'));
  const { fixed, dynamic: dynamicText } = prompt({ workspace, platform: process.platform, today: today.join('-') });
  const dynamic = [dynamicText, skillsPrompt(skills)].filter((section) => section !== undefined).join('\n\n');
  const fields = {
    system_prompt: text(fixed),
    tools: tools.map((tool) => tool.definition),
    ...(dynamic !== '' && { dynamic_context: text(dynamic) }),
  };
  return [{ make: (stamp) => SystemPromptEvent.create(fields, stamp) }];
}
