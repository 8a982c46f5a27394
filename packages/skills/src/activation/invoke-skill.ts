import { text } from '@varve/events';
import { InvokeSkillAction, InvokeSkillObservation } from '@varve/events/payloads';
import type { Mask } from '@varve/text';
import { defineBuiltinTool, type SharedTool } from '@varve/tools';
import type { ProgramSandbox } from '@varve/tools/workspace';
import { commandsIn } from '../dynamic-text.ts';
import { renderSkill } from './render-skill.ts';
import { invocableSkills } from './skills-prompt.ts';
import type { Skill } from '../skill.ts';

/** Options of {@link invokeSkill}. */
export interface InvokeSkillOptions {
  readonly skills: readonly Skill[];
  /** Replaces secrets in the output of commands. */
  readonly mask: Mask;
  /** Walls around commands. Default: none. */
  readonly sandbox?: ProgramSandbox | undefined;
}

/** Returns the tool by which the model loads the text of a skill. */
export function invokeSkill({ skills, mask, sandbox }: InvokeSkillOptions): SharedTool<{ readonly name: string }> {
  const byName = new Map(invocableSkills(skills).map((skill) => [skill.name, skill]));
  return defineBuiltinTool({
    name: 'invoke_skill',
    description:
      'Loads the instructions of a skill that is listed in the system prompt. Follow them for the task at hand.',
    input: InvokeSkillAction,
    output: InvokeSkillObservation,
    definitionKind: 'InvokeSkillTool',
    annotations: {
      title: 'invoke_skill',
      destructiveHint: false,
      idempotentHint: true,
      openWorldHint: false,
    },
    // Commands of a trusted skill may do anything.
    effect: ({ name }) => (executesCommands(byName.get(name)) ? 'write' : 'read'),
    resources: () => [],
    execute: async ({ name }, { workspace, signal }) => {
      const skill = byName.get(name);
      if (skill) {
        return { content: [text(await renderSkill(skill, { workspace, signal, mask, sandbox }))], skill_name: name };
      }
      const names = [...byName.keys()].join(', ');
      return {
        content: [text(`There is no skill ${name}. The skills are: ${names}.`)],
        skill_name: name,
        is_error: true,
      };
    },
  });
}

function executesCommands(skill: Skill | undefined): boolean {
  return skill !== undefined && skill.isTrusted && commandsIn(skill.content).length > 0;
}
