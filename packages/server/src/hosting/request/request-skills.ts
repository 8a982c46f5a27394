import { defineSkill, type Skill } from '@varve/skills';
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
const flag = z.boolean().optional().catch(undefined);
const context = z.object({
  skills: z.array(z.unknown()).default([]).catch([]),
  disabled_skills: z.array(z.string()).default([]).catch([]),
  load_project_skills: flag,
  load_user_skills: flag,
  load_public_skills: flag,
});

/** Context that a client sends with an agent. A flag that is absent leaves the choice to the server. */
export type AgentContext = z.output<typeof context>;

/** Returns the context of an agent. @see software-agent-sdk AgentContext */
export function agentContextOf(agent: Readonly<Record<string, unknown>> | undefined): AgentContext {
  return context.parse(context.safeParse(agent?.['agent_context']).data ?? {});
}

/** Maximum number of skills of an agent. */
const maxSkills = 100;

/**
 * Returns the skills that a client sends with an agent, and those of files whose names they do not have. The texts of
 * the client are its own, and commands in them are not run; a skill that it read from a file stays that of the file.
 * Those that cannot be read, or are disabled, are left out.
 *
 * @see software-agent-sdk Skill
 */
export function withRequestSkills(
  agent: Readonly<Record<string, unknown>> | undefined,
  files: readonly Skill[],
): readonly Skill[] {
  const { skills: sent, disabled_skills: disabled } = agentContextOf(agent);
  const isOfFile = ({ name, content }: Pick<Skill, 'name' | 'content'>): boolean =>
    files.some((file) => file.name === name && file.content.trim() === content.trim());
  const received = sent
    .flatMap((one) => skill.safeParse(one).data ?? [])
    .filter((one) => !disabled.includes(one.name) && !isOfFile(one))
    .map(({ name, content, description, trigger: on, is_agentskills_format: isListed }) =>
      defineSkill({
        name,
        content,
        isListed,
        ...(typeof description === 'string' && { description }),
        ...(on && { trigger: on }),
      }),
    );
  const all = [...received, ...files];
  // The first of a name counts.
  return all.filter(({ name }, index) => all.findIndex((one) => one.name === name) === index).slice(0, maxSkills);
}
