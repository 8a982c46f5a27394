import { randomUUID } from 'node:crypto';
import { mkdir, readFile, stat, writeFile } from 'node:fs/promises';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { dirname, isAbsolute } from 'node:path';
import { text } from 'node:stream/consumers';
import * as z from 'zod';
import { ToolError } from '../../src/contract/error.ts';
import { gitChanges } from '../../src/git/git-changes.ts';
import { gitDiff } from '../../src/git/git-diff.ts';
import { runCommand } from '../../src/workspace/run-command.ts';

/** Agent-server for tests. */
export interface WorkspaceServer extends AsyncDisposable {
  readonly url: string;
  /** Method and URL of each request so far. */
  readonly requests: readonly string[];
  /** Header fields of the requests, in the same order. */
  readonly headers: readonly IncomingMessage['headers'][];
}

/** Deviations of the server from the reference. */
export interface WorkspaceServerOptions {
  /** Requests without it get 401. */
  readonly apiKey?: string;
  /** Maximum output in one event, in UTF-16 units. Default: 1 Mi. */
  readonly pieceLength?: number;
  /** Maximum number of events on a page. Default: as many as requested. */
  readonly pageSize?: number;
}

interface Output {
  readonly id: string;
  readonly timestamp: string;
  readonly command_id: string;
  readonly order: number;
  readonly exit_code: number | null;
  readonly stdout: string | null;
  readonly stderr: string | null;
  readonly kind: 'BashOutput';
}

type Answer =
  | { readonly status?: number; readonly json: unknown }
  | { readonly status?: number; readonly bytes: Buffer };
type Route = (query: URLSearchParams, request: IncomingMessage) => Promise<Answer>;

const executeRequest = z.object({ command: z.string(), cwd: z.string().nullish(), timeout: z.int().default(300) });

/** Starts an agent-server on loopback with the file, bash and git routes, for files and programs of this machine. */
export async function workspaceServer(options: WorkspaceServerOptions = {}): Promise<WorkspaceServer> {
  const requests: string[] = [];
  const headers: IncomingMessage['headers'][] = [];
  const closing = new AbortController();
  const running = new Set<Promise<void>>();
  const routes: Readonly<Record<string, Route>> = {
    'GET /health': async () => ({ json: 'OK' }),
    ...bashRoutes(options, closing.signal, running),
    ...fileRoutes,
    ...gitRoutes,
  };
  const server = createServer((request, response) => {
    const { pathname, searchParams } = new URL(request.url ?? '', 'http://localhost');
    requests.push(`${request.method} ${request.url}`);
    headers.push(request.headers);
    const route = routes[`${request.method} ${pathname}`];
    const isAllowed = options.apiKey === undefined || request.headers['x-session-api-key'] === options.apiKey;
    const answer = !isAllowed
      ? Promise.resolve<Answer>({ status: 401, json: { detail: 'Unauthorized' } })
      : (route?.(searchParams, request) ?? Promise.resolve<Answer>({ status: 404, json: { detail: 'Not Found' } }));
    void respond(answer, response);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  return {
    url: `http://127.0.0.1:${address !== null && typeof address === 'object' ? address.port : 0}`,
    requests,
    headers,
    async [Symbol.asyncDispose]() {
      closing.abort();
      await Promise.all(running);
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

async function respond(answer: Promise<Answer>, response: ServerResponse): Promise<void> {
  const answered = await answer.catch((error: unknown): Answer => ({
    status: 500,
    json: { detail: 'Internal Server Error', exception: String(error) },
  }));
  const bytes = 'bytes' in answered ? answered.bytes : Buffer.from(JSON.stringify(answered.json));
  const type = 'bytes' in answered ? 'application/octet-stream' : 'application/json';
  response.writeHead(answered.status ?? 200, { 'content-type': type, 'content-length': bytes.length }).end(bytes);
}

function bashRoutes(
  { pieceLength = 1024 * 1024, pageSize = 100 }: WorkspaceServerOptions,
  signal: AbortSignal,
  running: Set<Promise<void>>,
): Readonly<Record<string, Route>> {
  const events: Output[] = [];
  const run = async (id: string, { command, cwd, timeout }: z.infer<typeof executeRequest>): Promise<void> => {
    const listing = await stat(cwd ?? '.')
      .then((stats) => {
        if (!stats.isDirectory()) throw new Error(`Not a directory: ${cwd}`);
        return runCommand(command, cwd ?? '.', { timeoutMs: timeout * 1000, signal });
      })
      .catch((error: unknown) => ({ exitCode: -1, stdout: '', stderr: String(error) }));
    const count = Math.max(1, Math.ceil(Math.max(listing.stdout.length, listing.stderr.length) / pieceLength));
    const piece = (of: string, order: number): string | null =>
      of.slice(order * pieceLength, (order + 1) * pieceLength) || null;
    for (let order = 0; order < count; order += 1) {
      events.push({
        id: randomUUID().replaceAll('-', ''),
        timestamp: new Date().toISOString(),
        command_id: id,
        order,
        exit_code: order === count - 1 ? listing.exitCode : null,
        stdout: piece(listing.stdout, order),
        stderr: piece(listing.stderr, order),
        kind: 'BashOutput',
      });
    }
  };
  return {
    async 'POST /api/bash/start_bash_command'(_query, request) {
      const parsed = executeRequest.safeParse(JSON.parse(await text(request)));
      if (!parsed.success) return { status: 422, json: { detail: parsed.error.issues } };
      const id = randomUUID().replaceAll('-', '');
      const work = run(id, parsed.data).finally(() => running.delete(work));
      running.add(work);
      return { json: { ...parsed.data, id, timestamp: new Date().toISOString(), kind: 'BashCommand' } };
    },
    async 'GET /api/bash/bash_events/search'(query) {
      const limit = Number(query.get('limit') ?? 100);
      if (limit < 1 || limit > 100) return { status: 422, json: { detail: [] } };
      const mine = events.filter(({ command_id }) => command_id === (query.get('command_id__eq') ?? command_id));
      // An unknown page id returns the first page.
      const start = Math.max(
        0,
        mine.findIndex(({ id }) => id === query.get('page_id')),
      );
      const end = start + Math.min(limit, pageSize);
      const after = Number(query.get('order__gt') ?? -1);
      const items = mine.slice(start, end).filter(({ order }) => order > after);
      return { json: { items, next_page_id: mine[end]?.id ?? null } };
    },
  };
}

const fileRoutes: Readonly<Record<string, Route>> = {
  async 'POST /api/file/upload'(query, request) {
    const path = query.get('path') ?? '';
    if (!isAbsolute(path)) return { status: 400, json: { detail: 'Path must be absolute' } };
    const type = request.headers['content-type'] ?? '';
    const body = new Response(ReadableStream.from(request), { headers: { 'content-type': type } });
    const file = (await body.formData()).get('file');
    if (!(file instanceof Blob)) return { status: 422, json: { detail: [] } };
    await mkdir(dirname(path), { recursive: true });
    await writeFile(path, await file.bytes());
    return { json: { success: true } };
  },
  async 'GET /api/file/download'(query) {
    const path = query.get('path') ?? '';
    if (!isAbsolute(path)) return { status: 400, json: { detail: 'Path must be absolute' } };
    const stats = await stat(path).catch(() => undefined);
    if (stats === undefined) return { status: 404, json: { detail: 'File not found' } };
    if (!stats.isFile()) return { status: 400, json: { detail: 'Path is not a file' } };
    return { bytes: await readFile(path) };
  },
};

const gitRoutes: Readonly<Record<string, Route>> = {
  'GET /api/git/changes': (query) => refusing(() => gitChanges(query.get('path') ?? '', compared(query))),
  'GET /api/git/diff': (query) =>
    refusing(async () => {
      const { modified, original } = await gitDiff(query.get('path') ?? '', compared(query));
      return { modified, original };
    }),
};

function compared(query: URLSearchParams): { readonly ref?: string } {
  const ref = query.get('ref');
  return ref === null ? {} : { ref };
}

async function refusing(work: () => Promise<unknown>): Promise<Answer> {
  try {
    return { json: await work() };
  } catch (error) {
    if (error instanceof ToolError) return { status: 400, json: { detail: error.message } };
    throw error;
  }
}
