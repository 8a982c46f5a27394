import type { MiddlewareHandler } from 'hono';
import { randomBytes } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { serveStatic } from '@hono/node-server/serve-static';
import { pagePolicy } from './page-policy.ts';
import { absentStyle, onboardedScript, signInScript } from './sign-in.ts';

/** Paths of the protocol, which are never pages. */
const protocol = /^\/(?:api|v1|sockets)(?:\/|$)/;

const safety = {
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
  'referrer-policy': 'no-referrer',
};

/** Options of {@link frontEnd}. */
export interface FrontEndOptions {
  /** The built front end, with its `index.html`. */
  readonly directory: string;
  /** Returns true if the person has a model: the page then omits its questions about one. */
  readonly hasModel: () => Promise<boolean>;
}

/**
 * Serves the files of a front end, which need no key. Any other address that a browser opens is its page, because the
 * page has paths of its own.
 *
 * @see agent-canvas 1.20.0, whose static server sets the same variables
 */
export function frontEnd({ directory, hasModel }: FrontEndOptions): readonly MiddlewareHandler[] {
  const files = serveStatic({ root: directory });
  return [
    withoutServices,
    async (context, next) => {
      const { method, path } = context.req;
      if (method !== 'GET' || protocol.test(path) || !isPage(context.req.header('accept'))) return next();
      const page = await readFile(join(directory, 'index.html'), 'utf8');
      const script = (await hasModel()) ? signInScript + onboardedScript : signInScript;
      const nonce = randomBytes(16).toString('base64');
      const html = page
        .replace(/<head>/i, (head) => `${head}<script>${script}</script>${absentStyle}`)
        .replaceAll(/<script(?=[\s>])/gi, `<script nonce="${nonce}"`);
      const headers = { ...safety, 'content-security-policy': pagePolicy(nonce), 'cache-control': 'no-store' };
      return context.html(html, 200, headers);
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

/**
 * Answers to requests of the front end for services that this server does not have: automations, extensions of the page
 * and statistics of its use. Each is empty, because the page shows a failed request as an error.
 *
 * @see agent-canvas 1.20.0, automation-service and canvas-extensions-service
 */
export const absentServices: Readonly<Record<string, unknown>> = {
  'GET /api/automation/health': { status: 'disabled' },
  'GET /api/automation/sdk-version': { sdk_version: null },
  'GET /api/automation/v1': { automations: [], total: 0 },
  'POST /api/automation/v1/telemetry/consent': { consent_granted: false },
  'GET /api/canvas-extensions/installed': { canvas_extensions: [] },
  'POST /api/analytics/events': { accepted: 0 },
};

/** Answers for services that this server does not have. The guards of keys precede it. */
export const withoutServices: MiddlewareHandler = async (context, next) => {
  const { method, path } = context.req;
  const answer = absentServices[`${method} ${path.replace(/\/$/, '')}`];
  return answer === undefined ? next() : context.json(answer);
};
