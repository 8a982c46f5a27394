import { contentDigest, fileDigest } from './sources/trust.ts';
import { commandsIn } from './dynamic-text.ts';
import type { Skill } from './skill.ts';

/** Options of {@link defineSkill}: the name, the text, and what differs from a listed skill without a trigger. */
export type DefineSkillOptions = Pick<Skill, 'name' | 'content'> &
  Partial<Pick<Skill, 'description' | 'trigger' | 'inputs' | 'isListed' | 'disableModelInvocation' | 'isTrusted'>>;

/** Returns a skill of the application. Its commands run only with `isTrusted`. */
export function defineSkill(options: DefineSkillOptions): Skill {
  return {
    inputs: [],
    isListed: true,
    disableModelInvocation: false,
    isTrusted: false,
    ...options,
    version: '1.0.0',
    metadata: {},
    allowedTools: [],
    resources: [],
    mcpServers: {},
    executes: commandsIn(options.content).length > 0 ? ['commands'] : [],
    digest: contentDigest('skill', { skill: fileDigest(Buffer.from(options.content)) }),
  };
}
