import { join } from 'node:path';
import { z } from '@hono/zod-openapi';
import { lazy } from '@varve/events';
import { isUnfinishedImport } from '@varve/agent/replay';
import { ToolError } from '@varve/tools';
import { conversationId } from '../../reference/info/conversation-id.ts';
import { excludesOf, patchArchive, tarArchive } from '../../workspace/files/archive.ts';
import { directoryPage } from '../../workspace/files/directory-page.ts';
import { attachment, fileResponse } from '../../workspace/files/file-response.ts';
import { receiveUpload } from '../../workspace/files/receive-upload.ts';
import { readInfo } from '../../reference/info/info-of.ts';
import { pageLimit, repeated } from '../route/query.ts';
import { unlessMissing } from '@varve/storage/kit';
import { RequestError } from '../../error.ts';
import { defineRoute, tagged } from '../route/define-route.ts';
import { checkWhole, trajectoryFiles, zipOf } from '../conversations/trajectory-files.ts';
const path = lazy(() => z.string());
const success = lazy(() => z.object({ success: z.boolean() }).openapi('Success'));
const include_hidden = lazy(() => z.stringbool().default(false).openapi({ type: 'boolean', default: false }));
const entry = lazy(() => z.object({ label: z.string(), path: z.string() }).openapi('FileBrowserEntry'));
const binary = 'application/octet-stream';

/** Maximum length of a pattern, whose comparison with a name takes time in proportion to it. */
const maxPatternChars = 1000;

/** Most directories of the home directory that front ends offer. */
const mostFavorites = 50;

/** Routes of files of this machine, and of whole conversations as a file. */
export const fileRoutes = tagged('Files', [
  defineRoute({
    method: 'post',
    path: '/api/file/upload',
    summary: 'Write a file.',
    query: () => z.object({ path: path() }),
    upload: () => ({ 'multipart/form-data': z.object({ file: z.string().openapi({ format: 'binary' }) }) }),
    response: success,
    async handle({ query, request }, { files }) {
      const isStored = await receiveUpload(request, (bytes) => files.put(query.path, bytes));
      if (isStored) return Response.json({ success: true });
      const missing = { type: 'missing', loc: ['body', 'file'], msg: 'The form has no file.', input: null };
      return Response.json({ detail: [missing] }, { status: 422 });
    },
  }),
  defineRoute({
    method: 'get',
    path: '/api/file/download',
    summary: 'Read a file.',
    query: () => z.object({ path: path() }),
    download: binary,
    async handle({ query, request }, { files }) {
      const file = await files.open(query.path);
      return fileResponse(file, { type: binary, headers: attachment(file.name), isHead: request.method === 'HEAD' });
    },
  }),
  defineRoute({
    method: 'post',
    path: '/api/file/create_directory',
    summary: 'Create a directory and those above it.',
    query: () => z.object({ path: path() }),
    response: success,
    async handle({ query }, { files }) {
      await files.makeDirectory(query.path);
      return Response.json({ success: true });
    },
  }),
  defineRoute({
    method: 'get',
    path: '/api/file/home',
    summary: 'Get the home directory and the directories in it.',
    query: () => z.object({ include_hidden: include_hidden() }),
    response: () =>
      z.object({ home: z.string(), favorites: z.array(entry()), locations: z.array(entry()) }).openapi('HomeResponse'),
    async handle({ query }, { files, userHome }) {
      const names = await files.directories(userHome, { includeHidden: query.include_hidden }).catch(() => []);
      const favorites = names.slice(0, mostFavorites).map((label) => ({ label, path: join(userHome, label) }));
      return Response.json({ home: userHome, favorites, locations: [{ label: '/', path: '/' }] });
    },
  }),
  defineRoute({
    method: 'get',
    path: '/api/file/search_subdirs',
    summary: 'List the directories in a directory.',
    query: () =>
      z.object({ path: path(), page_id: z.string().optional(), limit: pageLimit(), include_hidden: include_hidden() }),
    response: () =>
      z
        .object({
          items: z.array(z.object({ name: z.string(), path: z.string() }).openapi('SubdirectoryEntry')),
          next_page_id: z.string().nullable(),
        })
        .openapi('SubdirectoryPage'),
    async handle({ query }, { files }) {
      const names = await files.directories(query.path, { includeHidden: query.include_hidden });
      const page = directoryPage(names, query.page_id, query.limit);
      const items = page.names.map((name) => ({ name, path: join(query.path, name) }));
      return Response.json({ items, next_page_id: page.nextPageId });
    },
  }),
  defineRoute({
    method: 'get',
    path: '/api/file/download-trajectory/{conversation_id}',
    summary: 'Get a conversation as a zip file, without secrets of its configuration.',
    params: () => z.object({ conversation_id: conversationId() }),
    download: binary,
    async handle({ params: { conversation_id: id } }, { store, folds }) {
      const summary = await unlessMissing(store.summary(id));
      if (!summary) throw new RequestError('unknown', 'Conversation not found');
      if (isUnfinishedImport(summary.meta)) {
        throw new RequestError('conflict', `The import of conversation ${id} did not end.`);
      }
      const log = await store.read(id);
      await checkWhole(log);
      const info = await readInfo(summary, { store, folds }, { includeSkills: true });
      const zip = await zipOf(trajectoryFiles(log, summary, info));
      return new Response(zip, { headers: { 'content-type': binary, ...attachment(`${id}.zip`) } });
    },
  }),
  defineRoute({
    method: 'get',
    path: '/api/file/archive',
    summary: 'Get the changes of a working tree as a patch, or a directory as an archive.',
    query: () =>
      z.object({
        path: path(),
        format: z.enum(['git-delta', 'tar.gz']).default('git-delta'),
        base_ref: z.string().optional(),
        use_default_excludes: z.stringbool().default(true).openapi({ type: 'boolean', default: true }),
        exclude: repeated(z.string().max(maxPatternChars)).optional(),
      }),
    download: binary,
    async handle({ query, request }, { files }) {
      const excludes = excludesOf(query.use_default_excludes, query.exclude ?? []);
      const options = { ref: query.base_ref, excludes, signal: request.signal };
      const archive =
        query.format === 'tar.gz'
          ? await tarArchive(await files.directory(query.path), excludes)
          : await files
              .directory(query.path)
              .then((directory) => files.workingTree(directory, request.signal))
              .then((directory) => patchArchive(directory, options))
              .catch(notARepository);
      const headers = { 'content-type': archive.type, ...attachment(archive.name), ...archive.headers };
      return new Response(archive.body, { headers });
    },
  }),
]);

function notARepository(error: unknown): never {
  if (error instanceof ToolError && error.code === 'unusable') throw new RequestError('path', error.message);
  throw error;
}
