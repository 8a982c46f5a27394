import { isDeepStrictEqual } from 'node:util';
import type { Json } from '@varve/events';
import type { ConversationSettings } from '@varve/events/facts';
import type { Status } from '@varve/events/projections';
import { titleFrom } from '../log/conversation-meta.ts';
import type { ConversationTimeline } from '../log/conversation-state.ts';
import { settingsDraft, type Draft } from '../log/drafts.ts';
import type { GoalState } from '../log/projections/goal-projection.ts';
import { metaWith, settingsOf, type SettingsSource } from '../log/settings.ts';
import type { Agent } from './agent.ts';

/** Options of {@link SessionSettings}. */
export interface SessionSettingsOptions extends SettingsSource {
  readonly agent: Agent;
  readonly title?: string;
  /** Position of the last policy that an event set when the conversation was opened; 0 without one. */
  readonly policiesHead: number;
}

/** Settings of an open conversation: its agent, which may be replaced, its workspace and its title. */
export class SessionSettings {
  readonly #options: SessionSettingsOptions;
  #agent: Agent;
  #title: string | undefined;
  #settings: ConversationSettings;
  /** Settings in the log that are known to equal the current ones. */
  #recorded: ConversationSettings | undefined;

  constructor(options: SessionSettingsOptions) {
    this.#options = options;
    this.#agent = options.agent;
    this.#title = options.title;
    this.#settings = settingsOf(options);
  }

  get agent(): Agent {
    return this.#agent;
  }

  /** Replaces the agent from the next step on, with the same tools. */
  changeAgent(agent: Agent): void {
    this.#agent = agent;
    this.#settings = settingsOf({ ...this.#options, agent });
    this.#recorded = undefined;
  }

  /** Makes the first line of a user's message the title of a conversation without one. */
  suggestTitle(message: string): void {
    this.#title ??= titleFrom(this.#options.mask(message));
  }

  /** Records the settings when they differ from those in the log, or a policy was set by an event after them. */
  changedDrafts(timeline: ConversationTimeline): readonly Draft[] {
    const { settings, head } = timeline.read('settings');
    if (timeline.read('policies').head <= head) {
      if (settings && settings === this.#recorded) return [];
      if (isDeepStrictEqual(settings, this.#settings)) {
        this.#recorded = settings;
        return [];
      }
    }
    return [settingsDraft(this.#settings)];
  }

  /** Returns the `meta` of the conversation for a status and the last goal. */
  metaOf({ execution, title = this.#title }: Status, goal: GoalState | undefined): { readonly [name: string]: Json } {
    const { policiesHead } = this.#options;
    return {
      ...metaWith(this.#settings, { status: execution, title }),
      ...(goal?.status === 'running' && { goal: 'running' }),
      ...(policiesHead > 0 && { policies_head: policiesHead }),
    };
  }
}
