import type { Skill } from '../skill.ts';

/**
 * Returns the part of the system prompt about skills: the texts of those that always apply, and the names and
 * descriptions of those that the model may load. Undefined if there are none.
 */
export function skillsPrompt(skills: readonly Skill[]): string | undefined {
  const always = skills.filter(({ isListed, trigger }) => !isListed && !trigger);
  const listed = invocableSkills(skills);
  const sections = [
    ...always.map(({ name, content }) => `# Instructions: ${name}\n${content}`),
    ...(listed.length > 0 ? [listOf(listed)] : []),
  ];
  return sections.length === 0 ? undefined : sections.join('\n\n');
}

/** Returns the skills that the model may load. */
export function invocableSkills(skills: readonly Skill[]): readonly Skill[] {
  return skills.filter(({ isListed, disableModelInvocation }) => isListed && !disableModelInvocation);
}

function listOf(skills: readonly Skill[]): string {
  const items = skills.map(
    ({ name, description = '' }) =>
      `<skill><name>${escapeXml(name)}</name><description>${escapeXml(description)}</description></skill>`,
  );
  return `# Skills
Call invoke_skill with the name of a skill before you start a task that its description covers.
<available_skills>
${items.join('\n')}
</available_skills>`;
}

function escapeXml(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}
