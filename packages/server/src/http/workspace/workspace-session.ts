import { keyHeader } from '../route/route-config.ts';
import { workspaceCookieHeader } from '../guards/workspace-session.ts';
import { defineRoute } from '../route/define-route.ts';
import type { Route } from '../route/route.ts';

const described = { path: '/api/auth/workspace-session', tag: 'Auth', status: 204 } as const;

/** Routes of the cookie with which a page loads files of workspaces: elements of HTML cannot send a header. */
export const workspaceSessionRoutes: readonly Route[] = [
  defineRoute({
    ...described,
    method: 'post',
    summary: 'Start a session for files of workspaces.',
    handle({ request }, _services, context) {
      const cookie = workspaceCookieHeader(context, request.headers.get(keyHeader) ?? undefined);
      return new Response(null, { status: 204, headers: { 'set-cookie': cookie } });
    },
  }),
  defineRoute({
    ...described,
    method: 'delete',
    summary: 'End the session.',
    handle: (_input, _services, context) =>
      new Response(null, { status: 204, headers: { 'set-cookie': workspaceCookieHeader(context, undefined) } }),
  }),
];
