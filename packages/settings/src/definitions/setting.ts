import { lazy } from '@varve/events';
import type * as z from 'zod';

/**
 * Files of a repository that may contain a setting. `project`: any project file, because the setting is harmless.
 * `trusted-project`: a project file of exactly this content that a person trusted. `user`: no project file, because the
 * setting decides where keys and code are sent, what runs without approval, or what is paid.
 */
export type SettingScope = 'project' | 'trusted-project' | 'user';

/** One setting: its type, and who may set it. */
export interface SettingDefinition<T = unknown> {
  /** Returns the schema of its values. */
  readonly schema: () => z.ZodType<T>;
  /** One sentence for help and editors. */
  readonly description: string;
  readonly scope: SettingScope;
  /** Variables in addition to the one of the setting's key, the strongest first. */
  readonly variables: readonly string[];
  readonly defaultValue?: T;
}

/** Creates a definition. `schema` is called on first use. */
export function setting<T>(
  schema: () => z.ZodType<T>,
  description: string,
  options: Partial<Omit<SettingDefinition<NoInfer<T>>, 'schema' | 'description'>> = {},
): SettingDefinition<T> {
  return { schema: lazy(schema), description, scope: 'user', variables: [], ...options };
}
