export { activateSkills, skillsIn, type ActivatedSkill } from './activate-skills.ts';
export { invokeSkill, type InvokeSkillOptions } from './invoke-skill.ts';
export { isPresent, pathRules } from './path-rules.ts';
export { invocableSkills, skillsPrompt } from './skills-prompt.ts';
export { triggeredSkills, type TriggeredSkill } from './triggers.ts';
