import { resolve } from 'node:path';
import { z } from '@hono/zod-openapi';
import { lazy } from '@varve/events';
import type { Context } from 'hono';
import { getMimeType } from 'hono/utils/mime';
import { conversationId } from '../../reference/info/conversation-id.ts';
import { fileAccess } from '../../workspace/files/file-access.ts';
import { fileResponse } from '../../workspace/files/file-response.ts';
import { readInfo } from '../../reference/info/info-of.ts';
import { unlessMissing } from '@varve/storage/kit';
import { RequestError } from '../../error.ts';
import { defineRoute, tagged } from '../route/define-route.ts';
import type { ServerEnv } from '../route/route.ts';
import type { Services } from '../services.ts';
const path = '/api/conversations/{conversation_id}/workspace';
const params = lazy(() => z.object({ conversation_id: conversationId() }));
const errors = { 404: 'The conversation or file does not exist.' };

/**
 * Pages of a workspace are of an origin of their own, without the keys and cookies that a browser keeps for this
 * server: they were written by a model or come from a repository.
 */
const safety = {
  'content-security-policy': 'sandbox allow-scripts allow-forms allow-modals allow-popups',
  'referrer-policy': 'no-referrer',
  'cache-control': 'no-cache',
};

/** Routes of the files in the working directory of a conversation, for browsers. */
export const workspaceFileRoutes = tagged('Workspace', [
  defineRoute({
    method: 'get',
    path,
    summary: 'Get the index.html of a working directory.',
    params,
    download: '*/*',
    errors,
    handle: ({ params: { conversation_id: id } }, services, context) => send({ id, file: '.' }, services, context),
  }),
  defineRoute({
    method: 'get',
    path: `${path}/{file_path}`,
    summary: 'Get a file of a working directory, or the index.html of a directory in it.',
    params: () => params().extend({ file_path: z.string() }),
    download: '*/*',
    errors,
    handle: ({ params: { conversation_id: id, file_path: file } }, services, context) =>
      send({ id, file }, services, context),
  }),
]);

async function send(
  { id, file }: { readonly id: string; readonly file: string },
  services: Services,
  { req }: Context<ServerEnv>,
): Promise<Response> {
  const root = await directoryOf(id, services);
  const at = resolve(root, file);
  if (root === '' || file.startsWith('/') || !(at === root || at.startsWith(`${root}/`)))
    throw new RequestError('path', 'The path leads outside of the workspace.');
  const files = fileAccess([root]);
  const isDirectory = await files.directory(at).then(
    () => true,
    () => false,
  );
  const opened = await files.open(isDirectory ? `${at}/index.html` : at);
  const type = getMimeType(opened.name) ?? 'application/octet-stream';
  return fileResponse(opened, { type, headers: safety, isHead: req.method === 'HEAD' });
}

async function directoryOf(id: string, { store, folds }: Services): Promise<string> {
  const summary = await unlessMissing(store.summary(id));
  if (!summary) throw new RequestError('unknown', 'Not Found');
  const info = await readInfo(summary, { store, folds }, { includeSkills: false });
  return info.workspace.working_dir;
}
