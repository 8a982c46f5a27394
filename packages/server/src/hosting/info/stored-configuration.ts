import { currentSettings, type FoldedSettings } from '@varve/agent/replay';
import { z } from '@hono/zod-openapi';
import type { Summary } from '@varve/storage';

const fields = z.looseObject({
  workspace: z.union([z.string(), z.object({ working_dir: z.string() }).transform((at) => at.working_dir)]).catch(''),
  agent: z.unknown().optional(),
});

const spec = z.looseObject({ confirmation_policy: z.unknown() });

/** Settings that a conversation is opened with. */
export interface StoredConfiguration extends z.output<typeof fields> {
  /** Policy in the log; undefined for a log that contains none, whose policy is among the other fields. */
  readonly policy: unknown;
}

/**
 * Returns the settings of a conversation as opening it uses them: those of its log. What is stored next to a log counts
 * only if the log contains no settings and was not imported, as the reference writes it.
 */
export function storedConfiguration({ meta }: Pick<Summary, 'meta'>, fold: FoldedSettings): StoredConfiguration {
  const { settings, importHead } = fold.settings;
  const isLogged = settings !== undefined || importHead !== undefined;
  const current = currentSettings(fold, meta);
  const stored = fields.safeParse(isLogged ? current : meta).data ?? { workspace: '' };
  return { ...stored, policy: isLogged ? spec.safeParse(current.agent).data?.confirmation_policy : undefined };
}
