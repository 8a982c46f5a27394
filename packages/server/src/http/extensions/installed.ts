import { z } from '@hono/zod-openapi';
import { lazy } from '@varve/events';
import { HTTPException } from 'hono/http-exception';
import type { InstalledPackages } from '../../extensions/installed-packages.ts';
import { packageName } from '../../extensions/package-kind.ts';
import type { Packages } from '../../extensions/packages.ts';
import { pluginAt } from '../../extensions/plugin-list.ts';
import { defineRoute } from '../route/define-route.ts';
import type { Route } from '../route/route.ts';
import type { Services } from '../services.ts';

const installed = lazy(() =>
  z
    .looseObject({
      name: z.string(),
      version: z.string(),
      description: z.string(),
      enabled: z.boolean(),
      source: z.string(),
      resolved_ref: z.string().nullable(),
      repo_path: z.string().nullable(),
      installed_at: z.string(),
      install_path: z.string(),
    })
    .openapi('InstalledPackage'),
);
const installRequest = lazy(() =>
  z.object({
    source: z.string().min(1).max(2000),
    ref: z.string().min(1).max(200).nullish(),
    repo_path: z.string().min(1).max(500).nullish(),
    force: z.boolean().default(false),
  }),
);
const message = lazy(() => z.object({ message: z.string() }));
const errors = { 404: 'It is not installed.' };

interface Words {
  readonly tag: string;
  readonly noun: 'skill' | 'plugin';
  readonly all: 'skills' | 'plugins';
}

/** Routes of installed skills, and the same ones of installed plugins. */
export const installedRoutes: readonly Route[] = [
  ...routesOf({ tag: 'Skills', noun: 'skill', all: 'skills' }),
  ...routesOf({ tag: 'Plugins', noun: 'plugin', all: 'plugins' }),
];

function routesOf(words: Words): readonly Route[] {
  return [...listRoutes(words), ...packageRoutes(words)];
}

function listRoutes({ tag, noun, all }: Words): readonly Route[] {
  const base = `/api/${all}` as const;
  return [
    defineRoute({
      method: 'post',
      path: `${base}/install`,
      tag,
      summary: `Install a ${noun} from a directory, an archive or a repository. Nothing of it is executed.`,
      body: installRequest,
      response: installed,
      errors: { 400: 'It cannot be fetched.', 409: 'It is installed.' },
      async handle({ body, request }, services) {
        const from = { ...body, ref: body.ref ?? undefined, repo_path: body.repo_path ?? undefined };
        return Response.json(await withContent(await packagesOf(services)[all].install(from, request.signal), all));
      },
    }),
    defineRoute({
      method: 'get',
      path: `${base}/installed`,
      tag,
      summary: `List the installed ${all}.`,
      response: () => z.object({ [all]: z.array(installed()) }),
      async handle(_input, services) {
        const installedPackages = await packagesOf(services)[all].list();
        return Response.json({ [all]: await Promise.all(installedPackages.map((each) => withContent(each, all))) });
      },
    }),
  ];
}

function packageRoutes({ tag, noun, all }: Words): readonly Route[] {
  const path = `/api/${all}/installed/{${noun}_name}` as const;
  const params = lazy(() => z.object({ [`${noun}_name`]: packageName() }));
  const nameIn = (parameters: Readonly<Record<string, unknown>>): string => String(parameters[`${noun}_name`]);
  const common = { tag, params, errors };
  return [
    defineRoute({
      ...common,
      method: 'get',
      path,
      summary: `Get an installed ${noun}.`,
      response: installed,
      handle: async ({ params: parameters }, services) =>
        Response.json(await withContent(await packagesOf(services)[all].read(nameIn(parameters)), all)),
    }),
    defineRoute({
      ...common,
      method: 'patch',
      path,
      summary: `Use an installed ${noun}, or leave it out.`,
      body: () => z.object({ enabled: z.boolean() }),
      response: () => z.object({ name: z.string(), enabled: z.boolean() }),
      async handle({ params: parameters, body: { enabled } }, services) {
        await packagesOf(services)[all].enable(nameIn(parameters), enabled);
        return Response.json({ name: nameIn(parameters), enabled });
      },
    }),
    defineRoute({
      ...common,
      method: 'delete',
      path,
      summary: `Remove an installed ${noun}.`,
      response: message,
      async handle({ params: parameters }, services) {
        await packagesOf(services)[all].remove(nameIn(parameters));
        return Response.json({ message: `Removed ${nameIn(parameters)}.` });
      },
    }),
    defineRoute({
      ...common,
      method: 'post',
      path: `${path}/refresh`,
      summary: `Install a ${noun} again from its source.`,
      response: () => message().extend({ [noun]: installed() }),
      async handle({ params: parameters, request }, services) {
        const updated = await packagesOf(services)[all].refresh(nameIn(parameters), request.signal);
        return Response.json({ message: `Updated ${updated.name}.`, [noun]: await withContent(updated, all) });
      },
    }),
  ];
}

/** Returns the packages. @throws {HTTPException} 503 for a server without a data directory. */
export function packagesOf({ packages }: Services): Packages {
  if (!packages) throw new HTTPException(503, { message: 'This server has no data directory.' });
  return packages;
}

type Installed = Awaited<ReturnType<InstalledPackages['read']>>;

/** Adds what a plugin contains. */
async function withContent(record: Installed, all: Words['all']): Promise<object> {
  if (all === 'skills') return record;
  const { skills = [], files = [] } = (await pluginAt(record.install_path)) ?? {};
  return { ...record, skills, files };
}
