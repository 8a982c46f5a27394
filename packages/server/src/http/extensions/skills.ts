import { z } from '@hono/zod-openapi';
import { lazy } from '@varve/events';
import type { Skill } from '@varve/skills';
import { basename } from 'node:path';
import { defineRoute, tagged } from '../route/define-route.ts';

const anything = lazy(() => z.unknown().optional());

const skillsRequest = lazy(() =>
  z
    .object({
      load_public: z.boolean().default(true),
      load_user: z.boolean().default(true),
      load_project: z.boolean().default(true),
      load_org: z.boolean().default(true),
      marketplace_path: z.string().nullish(),
      registered_marketplaces: z.array(z.unknown()).default([]),
      project_dir: z.string().nullish(),
      org_configs: anything(),
      org_config: anything(),
      sandbox_config: anything(),
    })
    .openapi('SkillsRequest'),
);

const skillInfo = lazy(() =>
  z
    .object({
      name: z.string(),
      type: z.enum(['repo', 'knowledge', 'agentskills']),
      content: z.string(),
      triggers: z.array(z.string()),
      source: z.string().nullable(),
      description: z.string().nullable(),
      is_agentskills_format: z.boolean(),
      disable_model_invocation: z.boolean(),
    })
    .openapi('SkillInfo'),
);
type SkillInfo = z.output<ReturnType<typeof skillInfo>>;

/** Routes of the skills that files of the project and the user contain. */
export const skillRoutes = tagged('Skills', [
  defineRoute({
    method: 'post',
    path: '/api/skills',
    summary: 'List the skills of a project and the user. Nothing is fetched.',
    body: skillsRequest,
    response: () =>
      z.object({ skills: z.array(skillInfo()), sources: z.record(z.string(), z.int()) }).openapi('SkillsResponse'),
    async handle({ body }, { extensions }) {
      const project = body.load_project ? (body.project_dir ?? undefined) : undefined;
      const workspaceSkills = await extensions.skills({ project, user: body.load_user });
      const named = new Set(workspaceSkills.skills.map(({ name }) => name));
      const files = workspaceSkills.instructions.filter(({ path }) => !named.has(nameOf(path)));
      const skills = [...files.map(instructionsInfo), ...workspaceSkills.skills.map(infoOf)];
      const scopes = [
        ...files.map(({ scope }) => scope),
        ...workspaceSkills.skills.map(({ scope }) => scope ?? 'user'),
      ];
      const sources: Record<string, number> = {};
      for (const scope of scopes) sources[scope] = (sources[scope] ?? 0) + 1;
      return Response.json({ skills, sources });
    },
  }),
  defineRoute({
    method: 'post',
    path: '/api/skills/sync',
    summary: 'Update public skills: there are none.',
    response: () => z.object({ status: z.enum(['success', 'error']), message: z.string() }).openapi('SyncResponse'),
    handle: () => Response.json({ status: 'success', message: 'No public skills are configured.' }),
  }),
  defineRoute({
    method: 'get',
    path: '/api/skills/marketplace',
    summary: 'List skills to install: none, because nothing is fetched.',
    response: () => z.object({ skills: z.array(z.record(z.string(), z.unknown())) }),
    handle: () => Response.json({ skills: [] }),
  }),
]);

function infoOf(skill: Skill): SkillInfo {
  const { trigger, isListed } = skill;
  const triggers = trigger?.type === 'keyword' ? trigger.keywords : trigger?.type === 'task' ? trigger.triggers : [];
  return {
    name: skill.name,
    type: isListed ? 'agentskills' : trigger ? 'knowledge' : 'repo',
    content: skill.content,
    triggers: [...triggers],
    source: skill.path ?? null,
    description: skill.description ?? null,
    is_agentskills_format: isListed,
    disable_model_invocation: skill.disableModelInvocation,
  };
}

function instructionsInfo({ path, text }: { readonly path: string; readonly text: string }): SkillInfo {
  return {
    name: nameOf(path),
    type: 'repo',
    content: text,
    triggers: [],
    source: path,
    description: null,
    is_agentskills_format: false,
    disable_model_invocation: false,
  };
}

/** @see software-agent-sdk third-party skills: AGENTS.md is the skill `agents` */
function nameOf(path: string): string {
  return basename(path).replace(/\.md$/i, '').toLowerCase();
}
