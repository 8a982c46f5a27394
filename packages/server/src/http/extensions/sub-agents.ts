import { z } from '@hono/zod-openapi';
import { lazy } from '@varve/events';
import type { SubAgentDefinition } from '@varve/agent/delegation';
import { defineRoute, tagged } from '../route/define-route.ts';

const subAgentInfo = lazy(() =>
  z
    .object({
      name: z.string(),
      description: z.string(),
      model: z.string(),
      color: z.string().nullable(),
      tools: z.array(z.string()),
      skills: z.array(z.string()),
      system_prompt: z.string(),
      when_to_use_examples: z.array(z.string()),
      permission_mode: z.string().nullable(),
      max_iteration_per_run: z.int().nullable(),
      max_budget_per_run: z.number().nullable(),
      metadata: z.record(z.string(), z.unknown()),
      level: z.enum(['project', 'user', 'builtin', 'plugin', 'programmatic']).nullable(),
      source: z.string().nullable(),
      is_builtin: z.boolean(),
    })
    .openapi('SubAgentInfo'),
);
type SubAgentInfo = z.output<ReturnType<typeof subAgentInfo>>;

/** Route of the agents to which an agent can delegate tasks. */
export const subAgentRoutes = tagged('Sub Agents', [
  defineRoute({
    method: 'post',
    path: '/api/sub-agents',
    summary: 'List the sub-agents of a project, of the user and of varve.',
    body: () =>
      z
        .object({
          load_user: z.boolean().default(true),
          load_project: z.boolean().default(true),
          load_builtin: z.boolean().default(true),
          project_dir: z.string().nullish(),
        })
        .openapi('SubAgentsRequest'),
    response: () => z.object({ agents: z.array(subAgentInfo()) }).openapi('SubAgentsResponse'),
    async handle({ body }, { extensions }) {
      const project = body.load_project ? (body.project_dir ?? undefined) : undefined;
      const defined = (await extensions.subAgents({ project, user: body.load_user })).map(infoOf);
      const builtin = body.load_builtin ? extensions.builtinSubAgents : [];
      const others = builtin.filter(({ name }) => defined.every((each) => each.name !== name));
      return Response.json({ agents: [...defined, ...others.map(builtinInfo)] });
    },
  }),
]);

const usual: Omit<SubAgentInfo, 'name' | 'description'> = {
  model: 'inherit',
  color: null,
  tools: [],
  skills: [],
  system_prompt: '',
  when_to_use_examples: [],
  permission_mode: null,
  max_iteration_per_run: null,
  max_budget_per_run: null,
  metadata: {},
  level: 'builtin',
  source: null,
  is_builtin: true,
};

function builtinInfo({ name, description }: { readonly name: string; readonly description: string }): SubAgentInfo {
  return { ...usual, name, description };
}

function infoOf(agent: SubAgentDefinition): SubAgentInfo {
  const { name, description, model, limits } = agent;
  return {
    ...usual,
    name,
    description,
    model,
    color: agent.color ?? null,
    tools: [...(agent.tools ?? [])],
    skills: [...(agent.skills ?? [])],
    system_prompt: agent.instructions,
    when_to_use_examples: [...agent.whenToUseExamples],
    permission_mode: agent.permissionMode ?? null,
    max_iteration_per_run: limits.maxIterations ?? null,
    max_budget_per_run: limits.maxCostUsd ?? null,
    metadata: agent.metadata,
    level: agent.scope,
    source: agent.path,
    is_builtin: false,
  };
}
