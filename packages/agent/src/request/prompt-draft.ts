import { text } from '@varve/events';
import { SystemPromptEvent } from '@varve/events/kinds';
import type { View } from '@varve/events/projections';
import type { Tool } from '@varve/tools';
import type { Agent } from '../agent.ts';
import type { Draft } from '../log/drafts.ts';

/** What the prompt may say about where the agent works. */
export interface PromptDraftOptions {
  readonly workspace: string;
  readonly tools: readonly Tool[];
  /** UTC milliseconds. */
  readonly now: () => number;
}

/** The system prompt, for a branch that has none yet; a branch that has one keeps it, so that its requests stay the same. */
export function promptDraft(view: View, agent: Agent, { workspace, tools, now }: PromptDraftOptions): readonly Draft[] {
  if (view.events.some((event) => SystemPromptEvent.is(event))) return [];
  const date = new Date(now());
  const today = [date.getFullYear(), date.getMonth() + 1, date.getDate()].map((part) => String(part).padStart(2, '0'));
  const { fixed, dynamic } = agent.prompt({ workspace, platform: process.platform, today: today.join('-') });
  const fields = {
    system_prompt: text(fixed),
    tools: tools.map((tool) => tool.definition),
    ...(dynamic !== undefined && { dynamic_context: text(dynamic) }),
  };
  return [{ make: (stamp) => SystemPromptEvent.create(fields, stamp) }];
}
