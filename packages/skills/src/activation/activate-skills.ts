import type { BaseEvent } from '@varve/events';
import { MessageEvent, ObservationEvent } from '@varve/events/kinds';
import { InvokeSkillObservation } from '@varve/events/payloads';
import { renderSkill, type RenderContext } from './render-skill.ts';
import type { Skill } from '../skill.ts';
import { triggeredSkills } from './triggers.ts';

/** Text that a skill adds to a message. */
export interface ActivatedSkill {
  readonly name: string;
  readonly text: string;
}

/**
 * Returns the texts of the skills that a message triggers and whose text is not in the view. A skill whose text was
 * forgotten is activated again.
 *
 * @throws {ToolError} `aborted`.
 */
export async function activateSkills(
  message: string,
  skills: readonly Skill[],
  { events, ...context }: RenderContext & { readonly events: readonly BaseEvent[] },
): Promise<readonly ActivatedSkill[]> {
  const present = skillsIn(events);
  const activated: ActivatedSkill[] = [];
  for (const { skill, trigger } of triggeredSkills(message, skills)) {
    if (present.has(skill.name)) continue;
    const rendered = await renderSkill(skill, context);
    activated.push({
      name: skill.name,
      text: `Skill ${skill.name}, because the message contains "${trigger}":\n\n${rendered}`,
    });
  }
  return activated;
}

/** Returns the names of the skills whose text the events contain. */
export function skillsIn(events: readonly BaseEvent[]): ReadonlySet<string> {
  return new Set(
    events.flatMap((event) => {
      if (MessageEvent.is(event)) return event.activated_skills;
      const invoked = ObservationEvent.is(event) ? InvokeSkillObservation.read(event.observation) : undefined;
      return invoked && !invoked.is_error ? [invoked.skill_name] : [];
    }),
  );
}
