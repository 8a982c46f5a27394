import { resolve } from 'node:path';
import { z } from '@hono/zod-openapi';
import { lazy } from '@varve/events';
import { ToolError } from '@varve/tools';
import { gitChanges, gitCommitChanges, gitCommits, gitDiff } from '@varve/tools/workspace';
import { RequestError } from '../../error.ts';
import { defineRoute, tagged } from '../route/define-route.ts';
import type { Services } from '../services.ts';

const path = lazy(() => z.string());
const sha = lazy(() => z.string().regex(/^[0-9a-fA-F]{4,64}$/));
const changes = lazy(() =>
  z.array(
    z.object({ status: z.enum(['MOVED', 'ADDED', 'DELETED', 'UPDATED']), path: z.string() }).openapi('GitChange'),
  ),
);
const commit = lazy(() =>
  z
    .object({
      sha: z.string(),
      short_sha: z.string(),
      subject: z.string(),
      author: z.string(),
      timestamp: z.string(),
    })
    .openapi('GitCommit'),
);

/** Routes of git. They run no program that a repository configures; outside of a repository they return nothing. */
export const gitRoutes = tagged('Git', [
  defineRoute({
    method: 'get',
    path: '/api/git/changes',
    summary: 'List the changed files of a working tree.',
    query: () => z.object({ path: path(), ref: z.string().optional() }),
    response: changes,
    handle: ({ query: { path: at, ref }, request: { signal } }, { files, workspaceRoot, secrets }) =>
      answer([], secrets, async () =>
        gitChanges(await files.workingTree(resolve(workspaceRoot, at), signal), {
          signal,
          ...(ref !== undefined && { ref }),
        }),
      ),
  }),
  defineRoute({
    method: 'get',
    path: '/api/git/diff',
    summary: 'Get a file before and after its changes.',
    query: () => z.object({ path: path(), ref: z.string().optional(), commit: sha().optional() }),
    response: () => z.object({ modified: z.string().nullable(), original: z.string().nullable() }).openapi('GitDiff'),
    async handle({ query: { path: at, ...compare }, request: { signal } }, { files, workspaceRoot, secrets }) {
      const { ref, commit: hash } = compare;
      if (ref !== undefined && hash !== undefined) throw new RequestError('path', 'Either ref or commit is allowed.');
      const options = { signal, ...(ref !== undefined && { ref }), ...(hash !== undefined && { commit: hash }) };
      return answer({ modified: null, original: null }, secrets, async () => {
        const { modified, original } = await gitDiff(await files.tracked(resolve(workspaceRoot, at), signal), options);
        return { modified, original };
      });
    },
  }),
  defineRoute({
    method: 'get',
    path: '/api/git/commits',
    summary: 'List the newest commits.',
    query: () => z.object({ path: path(), limit: z.coerce.number().int().gte(1).lte(200).default(50) }),
    response: () => z.object({ commits: z.array(commit()), has_more: z.boolean() }).openapi('GitCommitsPage'),
    handle: ({ query: { path: at, limit }, request: { signal } }, { files, workspaceRoot, secrets }) =>
      answer({ commits: [], has_more: false }, secrets, async () => {
        const history = await gitCommits(await files.workingTree(resolve(workspaceRoot, at), signal), {
          limit,
          signal,
        });
        const commits = history.commits.map(({ shortSha, ...rest }) => ({ ...rest, short_sha: shortSha }));
        return { commits, has_more: history.hasMore };
      }),
  }),
  defineRoute({
    method: 'get',
    path: '/api/git/commits/{sha}/changes',
    summary: 'List the files that a commit changed.',
    params: () => z.object({ sha: sha() }),
    query: () => z.object({ path: path() }),
    response: changes,
    handle: ({ params, query, request: { signal } }, { files, workspaceRoot, secrets }) =>
      answer([], secrets, async () =>
        gitCommitChanges(await files.workingTree(resolve(workspaceRoot, query.path), signal), params.sha, signal),
      ),
  }),
]);

/** Returns the masked result as JSON, or `empty` where there is no repository. */
async function answer(
  empty: unknown,
  { redactor }: Services['secrets'],
  work: () => Promise<unknown>,
): Promise<Response> {
  try {
    return Response.json(redactor.value(await work()));
  } catch (error) {
    if (error instanceof ToolError && error.code === 'unusable') return Response.json(empty);
    throw error;
  }
}
