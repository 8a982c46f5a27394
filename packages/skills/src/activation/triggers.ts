import type { Skill } from '../skill.ts';

/** Skill whose trigger is in a message. */
export interface TriggeredSkill {
  readonly skill: Skill;
  /** The first of its triggers that the message contains. */
  readonly trigger: string;
}

/** Returns the skills that a message of the user triggers, in the order of the skills. */
export function triggeredSkills(message: string, skills: readonly Skill[]): readonly TriggeredSkill[] {
  const text = message.toLowerCase();
  return skills.flatMap((skill) => {
    const trigger = triggersOf(skill).find((word) => containsWord(text, word.toLowerCase()));
    return trigger === undefined ? [] : [{ skill, trigger }];
  });
}

function triggersOf({ trigger }: Skill): readonly string[] {
  if (!trigger || trigger.type === 'path') return [];
  return trigger.type === 'keyword' ? trigger.keywords : trigger.triggers;
}

/** Reports whether a text contains a word that no letter or digit extends. Both are lower case. */
function containsWord(text: string, word: string): boolean {
  if (word === '') return false;
  for (let at = text.indexOf(word); at >= 0; at = text.indexOf(word, at + 1)) {
    if (!/[a-z0-9]/.test(text.charAt(at - 1)) && !/[a-z0-9]/.test(text.charAt(at + word.length))) return true;
  }
  return false;
}
