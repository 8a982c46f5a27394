import { z } from '@hono/zod-openapi';
import type { HookConfig } from '@varve/agent/confirmation';
import { defineRoute, tagged } from '../route/define-route.ts';

/** Events of the document, in the reference's spelling. @see agent-server 1.43.1 OpenAPI, HookConfig */
const events = {
  pre_tool_use: 'PreToolUse',
  post_tool_use: 'PostToolUse',
  user_prompt_submit: 'UserPromptSubmit',
  session_start: 'SessionStart',
  session_end: 'SessionEnd',
  stop: 'Stop',
} as const;

/** Route of the hooks of a project. */
export const hookRoutes = tagged('Hooks', [
  defineRoute({
    method: 'post',
    path: '/api/hooks',
    summary: 'Get the hooks of a project and its user that a person has trusted; null without any.',
    body: () => z.object({ project_dir: z.string().nullish() }).openapi('HooksRequest'),
    response: () => z.object({ hook_config: z.record(z.string(), z.unknown()).nullable() }).openapi('HooksResponse'),
    async handle({ body: { project_dir: project } }, { extensions }) {
      const hooks = typeof project === 'string' ? await extensions.hooks(project) : undefined;
      return Response.json({ hook_config: hooks ? documentOf(hooks) : null });
    },
  }),
]);

function documentOf(hooks: HookConfig): Readonly<Record<string, unknown>> {
  return Object.fromEntries(
    Object.entries(events).map(([name, event]) => [
      name,
      (hooks[event] ?? []).map(({ matcher = '*', hooks: commands }) => ({
        matcher,
        hooks: commands.map((hook) => ({ timeout: 60, async: false, ...hook })),
      })),
    ]),
  );
}
