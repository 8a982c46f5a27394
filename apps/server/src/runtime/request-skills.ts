import { defineSkill, type Skill } from '@varve/agent/skills';
import * as z from 'zod';

const trigger = z.union([
  z.object({ type: z.literal('keyword'), keywords: z.array(z.string()) }),
  z.object({ type: z.literal('task'), triggers: z.array(z.string()) }),
]);
const skill = z.object({
  name: z.string().min(1),
  content: z.string(),
  description: z.string().nullish(),
  trigger: trigger.nullish().catch(null),
  is_agentskills_format: z.boolean().default(false),
});
const context = z.object({
  agent_context: z.object({
    skills: z.array(z.unknown()).default([]),
    disabled_skills: z.array(z.string()).nullish(),
  }),
});

/**
 * Returns the skills that a client sends with an agent; those that cannot be read, or are disabled, are left out. Their
 * texts are the client's, and commands in them are not run.
 *
 * @see software-agent-sdk AgentContext, Skill
 */
export function skillsIn(agent: unknown): readonly Skill[] {
  const sent = context.safeParse(agent).data?.agent_context;
  if (!sent) return [];
  const disabled = new Set(sent.disabled_skills);
  const found = sent.skills.flatMap((one) => skill.safeParse(one).data ?? []);
  const skills = found
    .filter(({ name }) => !disabled.has(name))
    .map(({ name, content, description, trigger: on, is_agentskills_format: isListed }) =>
      defineSkill({
        name,
        content,
        isListed,
        ...(typeof description === 'string' && { description }),
        ...(on && { trigger: on }),
      }),
    );
  // The first of a name counts, and an agent has at most 100.
  return skills.filter(({ name }, index) => skills.findIndex((one) => one.name === name) === index).slice(0, 100);
}
