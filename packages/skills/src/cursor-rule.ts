import { lazy } from '@varve/events';
import * as z from 'zod';

/** Directory of the rules of Cursor. */
export const cursorDirectory = '.cursor/rules';

const rule = lazy(() =>
  z.looseObject({
    alwaysApply: z.boolean().nullish().catch(undefined),
    description: z.string().nullish().catch(undefined),
    globs: z
      .union([z.string(), z.array(z.string())])
      .nullish()
      .catch(undefined),
  }),
);

/** A rule of Cursor as the fields of a skill. */
export interface RuleFields {
  readonly fields: Readonly<Record<string, unknown>>;
  /** True for a rule that the model loads by its description. */
  readonly isListed: boolean;
}

/**
 * Returns the fields of a skill for those of a rule: one that always applies has no trigger, one with patterns applies
 * to their paths, one with a description is loaded by the model, and any other is named by the user: `@name`.
 *
 * @see https://cursor.com/docs/context/rules
 */
export function fieldsOfRule(written: Readonly<Record<string, unknown>>, name: string): RuleFields {
  const { alwaysApply, description, globs } = rule().parse(written);
  const about = description?.trim() ? { description: description.trim() } : {};
  const paths = globs ?? '';
  if (alwaysApply === true) return { fields: about, isListed: false };
  if (paths.length > 0) return { fields: { ...about, paths }, isListed: false };
  if ('description' in about) return { fields: about, isListed: true };
  return { fields: { triggers: [`@${name}`] }, isListed: false };
}
