import type { SubAgent } from '../../agent/agent.ts';
import type { Limits } from '../../budget/limits.ts';
import type { Json } from '@varve/events';
import type { SourceRoot } from '@varve/skills';
/** Ways to confirm the calls of a sub-agent, in the words of the reference. */
export type PermissionMode = 'always_confirm' | 'confirm_risky' | 'never_confirm';

/**
 * Sub-agent that a Markdown file defines: its front matter, and its body as instructions. Data: `subAgentOf` makes a
 * sub-agent of it.
 *
 * @see software-agent-sdk openhands/sdk/subagent/schema.py AgentDefinition
 */
export interface SubAgentDefinition {
  readonly name: string;
  /** Description for the model, without examples. */
  readonly description: string;
  /** Texts of the `<example>` tags in the description. */
  readonly whenToUseExamples: readonly string[];
  /** `inherit`, or the name of a model of the user. */
  readonly model: string;
  readonly color?: string;
  /** Names of tools as varve has them; absent: those of the parent. */
  readonly tools?: readonly string[];
  readonly disallowedTools: readonly string[];
  /** Names of skills of the parent; absent: those of the parent. */
  readonly skills?: readonly string[];
  readonly instructions: string;
  /** Applies where it is stricter than the policy of the parent. */
  readonly permissionMode?: PermissionMode;
  readonly limits: Limits;
  /** Spec of a condenser, or `none`; absent: that of the parent. */
  readonly condenser?: Json;
  /** Servers, for the application to start. Empty unless the file is trusted. */
  readonly mcpServers: Readonly<Record<string, unknown>>;
  /** Other fields of the front matter. */
  readonly metadata: Readonly<Record<string, unknown>>;
  /** Absolute path. */
  readonly path: string;
  readonly scope: SourceRoot['scope'];
  /** True if it names servers, which start programs. */
  readonly executes: boolean;
  /** Hex SHA-256 over the file. */
  readonly digest: string;
  /** True if its servers may be started, and the model that it names be used; false for a file that names neither. */
  readonly isTrusted: boolean;
}

/** Name that calls have which name no sub-agent. */
const defaultName = 'general-purpose';

/** Returns the sub-agent with a name or an alias. No name, and the default of the reference, are that of the first. */
export function findSubAgent(agents: readonly SubAgent[], name: string): SubAgent | undefined {
  const wanted = name.trim().toLowerCase();
  return (
    agents.find((agent) => agent.name.toLowerCase() === wanted) ??
    agents.find(({ aliases = [] }) => aliases.includes(wanted)) ??
    (wanted === '' || wanted === defaultName ? agents[0] : undefined)
  );
}
