import type { AgentOptions } from '@varve/agent';
import { lazy, type Json } from '@varve/events';
import { modelParameters } from '@varve/llm';
import type { McpToolSpec } from '@varve/tools/mcp';
import type { RemotePlace } from '@varve/tools';
import * as z from 'zod';
import { withoutUndefined } from '@varve/text';
import { storedModel, type StoredModel } from './stored-model.ts';

/** Parts of the agent of a stored conversation that settings do not replace. */
export interface StoredAgentParts {
  /** Spec of the agent. */
  readonly spec?: Json;
  readonly model?: StoredModel;
  readonly parameters?: NonNullable<AgentOptions['parameters']>;
  /** Spec of its confirmation policy; absent for imported conversations, and logs without one. */
  readonly policy?: Json;
  /** Hooks that it was used with. They do not run; those of the files have to be equal. */
  readonly hooks?: Json;
  /** Directory on an agent-server in which its tools work; absent for tools of this machine. */
  readonly place?: RemotePlace;
  /** Tools of servers that it was used with. */
  readonly serverTools?: readonly McpToolSpec[];
}

const serverTool = lazy(() =>
  z.object({
    name: z.literal('mcp'),
    params: z.object({ server: z.string(), tools: z.array(z.string()) }),
  }),
);

const remoteTool = lazy(() =>
  z.object({
    name: z.string().startsWith('remote_'),
    params: z.object({ server: z.string(), directory: z.string() }),
  }),
);

/** Returns the parts in the settings of a log, as `readSettings` returns them. */
export function storedAgentParts(settings: {
  readonly agent?: Json;
  readonly [name: string]: Json | undefined;
}): StoredAgentParts {
  const { agent } = settings;
  const model = storedModel(agent);
  const { data: parameters } = modelParameters().safeParse(fieldOf(agent, 'parameters'));
  const tools = z.array(z.unknown()).catch([]).parse(fieldOf(agent, 'tools'));
  const serverTools = tools.flatMap((tool) => serverTool().safeParse(tool).data ?? []);
  const [place] = tools.flatMap((tool) => remoteTool().safeParse(tool).data?.params ?? []);
  const hooks = fieldOf(agent, 'hooks');
  // The reference stores the policy next to its agent.
  const policy = fieldOf(agent, 'confirmation_policy') ?? settings['confirmation_policy'];
  return {
    ...withoutUndefined({ spec: agent, model, parameters, hooks, place }),
    ...(serverTools.length > 0 && { serverTools }),
    ...(policy !== undefined && policy !== null && { policy }),
  };
}

function fieldOf(value: Json | undefined, name: string): Json | undefined {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return undefined;
  return (value as Readonly<Record<string, Json>>)[name];
}
