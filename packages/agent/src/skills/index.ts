export { installSkills, type InstallSkillsOptions } from './install-skill.ts';
export { unpackArchive, type UnpackArchiveOptions } from './unpack-archive.ts';
export { invokeSkill, type InvokeSkillOptions } from './invoke-skill.ts';
export { loadSkills, maxSkills, type LoadedSkills, type LoadSkillsOptions } from './load-skills.ts';
export { defineSkill, type DefineSkillOptions } from './define-skill.ts';
export type { Skill, SkillExecution, SkillInput, SkillTrigger } from './skill.ts';
export type { SourceProblem } from '../sources/read-source.ts';
export type { TrustPredicate } from '../sources/trust.ts';
