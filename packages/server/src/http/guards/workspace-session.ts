import { createHmac, timingSafeEqual } from 'node:crypto';
import type { Context } from 'hono';
import { getCookie } from 'hono/cookie';
import { serialize } from 'hono/utils/cookie';
import { isLoopback } from '@varve/text';
import type { Access, ScopedKey } from '../../access.ts';
import { hostOf } from './check-host.ts';

/** Name of the cookie with which pages load files of workspaces. @see agent-server 1.43.1 */
export const workspaceCookie = 'oh_workspace_session_key';

/** Files of the workspace of a conversation, the only paths that accept the cookie. */
const workspaceFile = /^\/api\/conversations\/[^/]+\/workspace(?:\/|$)/;

/** Seconds; browsers keep no cookie longer. */
const maxAge = 400 * 24 * 60 * 60;

/** Options of `workspaceSessions`. */
export interface WorkspaceSessionOptions {
  readonly keys: readonly ScopedKey[];
  /** Origins whose pages may load files with the cookie, in addition to that of the server. */
  readonly allowedOrigins: readonly string[];
}

/** Returns the rights of the key of a valid cookie, in a request for a file of a workspace. */
export type WorkspaceSessionCheck = (context: Context) => Access | undefined;

/** Returns the check of the cookie. Its duration does not depend on the keys. */
export function workspaceSessions({ keys, allowedOrigins }: WorkspaceSessionOptions): WorkspaceSessionCheck {
  const known = keys.map(({ key, ...access }) => ({ access, token: Buffer.from(tokenOf(key)) }));
  return (context) => {
    const { method, path } = context.req;
    if ((method !== 'GET' && method !== 'HEAD') || !workspaceFile.test(path)) return undefined;
    if (!isOfAllowedPage(context, allowedOrigins)) return undefined;
    const received = Buffer.from(getCookie(context, workspaceCookie) ?? '');
    const isReceived = (token: Buffer): boolean => token.length === received.length && timingSafeEqual(token, received);
    return known.flatMap(({ access, token }) => (isReceived(token) ? [access] : []))[0];
  };
}

/**
 * Returns the `Set-Cookie` header that starts a session, or ends it if there is no key. The cookie does not contain the
 * key: it proves only that its sender had it.
 *
 * @see agent-server 1.43.1 (its cookie contains the key)
 */
export function workspaceCookieHeader(context: Context, key: string | undefined): string {
  const isPrivate = isSecure(context);
  return serialize(workspaceCookie, key === undefined ? '' : tokenOf(key), {
    httpOnly: true,
    maxAge: key === undefined ? 0 : maxAge,
    path: '/api/conversations',
    // Browsers accept a cookie for other sites only with the other two attributes.
    ...(isPrivate ? { sameSite: 'None', secure: true, partitioned: true } : { sameSite: 'Lax' }),
  });
}

/**
 * Browsers send the cookie by themselves, also for a page of another port of this machine, and those without
 * partitioned cookies for a page of any site. A page that only embeds a file is named by its site, not by its origin.
 */
function isOfAllowedPage(context: Context, allowed: readonly string[]): boolean {
  const origin = context.req.header('origin');
  if (origin !== undefined) return allowed.includes(origin) || URL.parse(origin)?.host === hostOf(context);
  const site = context.req.header('sec-fetch-site');
  return allowed.length > 0 || site === undefined || site === 'same-origin' || site === 'none';
}

function tokenOf(key: string): string {
  return createHmac('sha256', key).update('varve workspace session').digest('base64url');
}

/** Returns true for requests by TLS, also to a proxy, and for those of this machine, which browsers trust as much. */
function isSecure(context: Context): boolean {
  if (new URL(context.req.url).protocol === 'https:') return true;
  if (context.req.header('x-forwarded-proto') === 'https') return true;
  return isLoopback(URL.parse(`http://${hostOf(context)}`)?.hostname ?? '');
}
