import type { SourceRoot } from './sources/read-source.ts';

/** Condition under which the text of a skill is added to a message. Absent: see {@link Skill}. */
export type SkillTrigger =
  | { readonly type: 'keyword'; readonly keywords: readonly string[] }
  /** Named by a command of the user, `/name`, or by one of its own triggers. */
  | { readonly type: 'task'; readonly triggers: readonly string[] }
  /** Added to the result of a call that names a path in one of these patterns, as in `.gitignore`. */
  | { readonly type: 'path'; readonly paths: readonly string[] };

/** Input of a task, for which the user is asked. */
export interface SkillInput {
  readonly name: string;
  readonly description?: string;
}

/** Parts of a skill that execute something. */
export type SkillExecution = 'commands' | 'mcp' | 'scripts';

/**
 * Instructions for a kind of task. A `SKILL.md` is listed in the system prompt by name and description, and the model
 * loads its text; other files without a trigger are in the system prompt as a whole. A trigger adds the text to the
 * message that contains it.
 *
 * @see software-agent-sdk openhands/sdk/context/skills/skill.py
 */
export interface Skill {
  /** Unique within an agent. */
  readonly name: string;
  readonly description?: string;
  /** Text for the model: Markdown without the front matter. */
  readonly content: string;
  readonly trigger?: SkillTrigger;
  readonly inputs: readonly SkillInput[];
  /** True for a `SKILL.md`. */
  readonly isListed: boolean;
  /** True if the model must not load it itself. */
  readonly disableModelInvocation: boolean;
  readonly version: string;
  readonly license?: string;
  readonly compatibility?: string;
  readonly metadata: Readonly<Record<string, string>>;
  readonly allowedTools: readonly string[];
  /** Absolute path of its file; undefined for a skill of the application. */
  readonly path?: string;
  readonly scope?: SourceRoot['scope'];
  /** Files in `scripts`, `references` and `assets` next to its file: paths relative to its directory. */
  readonly resources: readonly string[];
  /** Servers in its `.mcp.json`, for the application to start. Empty unless it is trusted. */
  readonly mcpServers: Readonly<Record<string, unknown>>;
  /** Parts that execute something. Without trust its commands stay text, and its servers are left out. */
  readonly executes: readonly SkillExecution[];
  /** Hex SHA-256 over all files of the skill. */
  readonly digest: string;
  /** True if its commands may run. */
  readonly isTrusted: boolean;
}

/** Names of skills as other agents accept them. */
export const skillName = /^[a-z0-9]+(?:-[a-z0-9]+)*$/;
/** Maximum length of a name, in characters. */
export const maxNameLength = 64;
/** Maximum length of a description, in characters. */
export const maxDescriptionLength = 1024;
