import * as z from 'zod';
import { lazy } from '../lazy.ts';
import { MessageEvent } from '../kinds/message-event.ts';
import { ObservationEvent } from '../kinds/observation-event.ts';
import type { BaseEvent } from '../define-event.ts';
import { InvokeSkillObservation } from '../payloads/invoke-skill.ts';
import { freezeJson } from '../immutable.ts';
import type { Projection } from '../fold/projection.ts';
import { stateFields } from './state-fields.ts';

/** Skills and rules of a conversation, each once, oldest first. */
export interface Skills {
  /** Skills that the text of a message activated. */
  readonly activated: readonly string[];
  /** Skills that the agent loaded. */
  readonly invoked: readonly string[];
  /** Rules that were activated by the paths of files. */
  readonly pathRules: readonly string[];
}

const keys: Readonly<Record<string, keyof Skills>> = {
  activated_knowledge_skills: 'activated',
  invoked_skills: 'invoked',
  activated_path_rules: 'pathRules',
};
const names = lazy(() => z.array(z.string()));

/** Folds the {@link Skills} of a branch: from messages, results and lists in state updates. */
export const skillsProjection: Projection<Skills> = {
  name: 'skills',
  version: 1,
  scope: 'branch',
  initial: () => ({ activated: [], invoked: [], pathRules: [] }),
  apply: (skills, event) => skillsIn(event).reduce((all, [list, more]) => withNames(all, list, more), skills),
  read: (skills) => freezeJson(skills),
  encode: ({ activated, invoked, pathRules }) => ({ activated, invoked, pathRules }),
  decode: (json) => json as unknown as Skills,
};

function skillsIn(event: BaseEvent): readonly (readonly [keyof Skills, readonly string[]])[] {
  if (MessageEvent.is(event)) return [['activated', event.activated_skills]];
  if (ObservationEvent.is(event)) {
    const skill = InvokeSkillObservation.read(event.observation);
    return skill && !skill.is_error ? [['invoked', [skill.skill_name]]] : [];
  }
  return stateFields(event).flatMap(([key, value]) => {
    const list = Object.hasOwn(keys, key) ? keys[key] : undefined;
    const all = names().safeParse(value);
    return list && all.success ? [[list, all.data] as const] : [];
  });
}

function withNames(skills: Skills, list: keyof Skills, more: readonly string[]): Skills {
  const fresh = new Set(more.filter((name) => !skills[list].includes(name)));
  return fresh.size === 0 ? skills : { ...skills, [list]: [...skills[list], ...fresh] };
}
