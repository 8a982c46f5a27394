import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { serveStatic } from '@hono/node-server/serve-static';
import type { MiddlewareHandler } from 'hono';
import { signInScript } from './sign-in.ts';

/** Paths of the protocol, which are never pages. */
const protocol = /^\/(?:api|v1|sockets)(?:\/|$)/;

const safety = {
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
  'referrer-policy': 'no-referrer',
};

/**
 * Serves the files of a front end, which need no key. Any other address that a browser opens is its page, because the
 * page has paths of its own.
 *
 * @param directory - the built front end, with its `index.html`
 * @see agent-canvas 1.20.0, whose static server sets the same variables
 */
export function frontEnd(directory: string): readonly MiddlewareHandler[] {
  const files = serveStatic({ root: directory });
  return [
    async (context, next) => {
      const { method, path } = context.req;
      if (method !== 'GET' || protocol.test(path) || !isPage(context.req.header('accept'))) return next();
      const page = await readFile(join(directory, 'index.html'), 'utf8');
      const signedIn = page.replace(/<head>/i, (head) => `${head}<script>${signInScript}</script>`);
      return context.html(signedIn, 200, { ...safety, 'cache-control': 'no-store' });
    },
    async (context, next) => {
      const isFile = /\.\w+$/.test(context.req.path) && !protocol.test(context.req.path);
      if (!isFile) return next();
      for (const [name, value] of Object.entries(safety)) context.header(name, value);
      return files(context, next);
    },
  ];
}

/** Tests whether a browser opens the address: only then does it accept HTML by name. */
function isPage(accept: string | undefined): boolean {
  return accept?.includes('text/html') ?? false;
}
