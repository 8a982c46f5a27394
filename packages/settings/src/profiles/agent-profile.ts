import { lazy, type Json } from '@varve/events';
import * as z from 'zod';
import { profileName } from '../definitions/profile-name.ts';
import type { PlacedValue } from '../layers/layer.ts';
import { settingsOfText } from '../layers/document.ts';
import type { SettingKey } from '../definitions/settings.ts';

const json = lazy(() => z.record(z.string(), z.json()));

/**
 * File of an agent profile: the reference's fields, and under `varve` settings as in a settings file.
 *
 * @see software-agent-sdk OpenHandsAgentProfile
 */
export const agentProfileRecord = lazy(() =>
  z.looseObject({
    schema_version: z.number().max(2).default(2),
    id: z.string(),
    name: profileName(),
    revision: z.number().int().min(0).default(0),
    agent_kind: z.string().default('openhands'),
    llm_profile_ref: profileName().nullish(),
    mcp_server_refs: z.array(z.string()).nullish(),
    tools: z.array(z.union([z.string(), z.looseObject({ name: z.string(), params: json().nullish() })])).nullish(),
    system_message_suffix: z.string().nullish(),
    disabled_skills: z.array(z.string()).nullish(),
    condenser: json().nullish(),
    verification: json().nullish(),
    enable_sub_agents: z.boolean().nullish(),
    tool_concurrency_limit: z.number().int().positive().nullish(),
    varve: json().optional(),
  }),
);

/** Names of the fields of an agent profile that are understood. */
export const agentProfileFields = lazy((): readonly string[] => Object.keys(agentProfileRecord().shape));

/** Record of an agent profile. */
export type AgentProfileRecord = z.output<ReturnType<typeof agentProfileRecord>>;

/**
 * Returns the settings of an agent profile. Those under `varve` are stronger than the reference's fields.
 *
 * @throws {SettingsError} `invalid` for unknown keys and wrong values under `varve`.
 */
export function settingsOfAgentProfile(record: AgentProfileRecord, path: string): readonly PlacedValue[] {
  const origin = { kind: 'file', layer: 'agent-profile', path } as const;
  const settings = settingsOfText(JSON.stringify(record.varve ?? {}), { path, layer: 'agent-profile' });
  const values: Partial<Record<SettingKey, unknown>> = {
    ...referenceSettings(record),
    ...Object.fromEntries(settings.map(({ key, value }) => [key, value])),
  };
  return Object.entries(values).flatMap(([key, value]) =>
    value === undefined || value === null ? [] : [{ key: key as SettingKey, value, origin }],
  );
}

function referenceSettings(record: AgentProfileRecord): Partial<Record<SettingKey, unknown>> {
  const { enabled, max_size: maxSize } = record.condenser ?? {};
  const { confirmation_mode: confirms } = record.verification ?? {};
  return {
    'roles.agent': record.llm_profile_ref,
    concurrency: record.tool_concurrency_limit,
    mcp_enabled: record.mcp_server_refs,
    'prompt.suffix': record.system_message_suffix,
    'skills.disabled': record.disabled_skills,
    // The reference adds the tools that need no choice to every list.
    ...(record.tools && { 'tools.only': [...record.tools.map(nameOfTool), 'think', 'finish'] }),
    'tools.options': optionsOf(record.tools ?? []),
    ...(record.enable_sub_agents === true && { 'tools.add': ['task'] }),
    ...(enabled === false && { 'condenser.kind': 'no-condensation' }),
    ...(isCount(maxSize) && { 'condenser.max_events': maxSize }),
    ...(confirms === true && { 'confirmation.policy': 'auto' }),
  };
}

type ToolEntry = NonNullable<AgentProfileRecord['tools']>[number];

function nameOfTool(tool: ToolEntry): string {
  return typeof tool === 'string' ? tool : tool.name;
}

/** Returns the options of the tools that have some; undefined without any. */
function optionsOf(tools: readonly ToolEntry[]): Readonly<Record<string, unknown>> | undefined {
  const entries = tools.flatMap((tool) =>
    typeof tool === 'string' || Object.keys(tool.params ?? {}).length === 0 ? [] : [[tool.name, tool.params] as const],
  );
  return entries.length === 0 ? undefined : Object.fromEntries(entries);
}

function isCount(value: Json | undefined): value is number {
  return typeof value === 'number' && Number.isInteger(value) && value >= 10;
}
