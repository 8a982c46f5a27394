import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { WebhookInput } from '../../src/streams/webhooks/webhook-options.ts';

/** A server in a process of its own. */
export interface ServerProcess extends AsyncDisposable {
  /** Sends a request below `/api/conversations` and returns the JSON of its response. */
  json<Result = Record<string, unknown>>(method: string, path: string, body?: unknown): Promise<Result>;
  /** Kills it with SIGKILL, and resolves when it has ended. */
  kill(): Promise<void>;
  /** Stops it as a service manager does, and resolves when it has ended. */
  stop(): Promise<void>;
}

/** Options of {@link serverProcess}. */
export interface ServerProcessOptions {
  readonly storeUrl: string;
  readonly home: string;
  readonly maxRuns: number;
  readonly webhooks?: readonly WebhookInput[];
}

const key = 'key-of-the-tests';

/** Program of the process. Its modules are compiled once for all processes. */
const source = ({ storeUrl, home, maxRuns, webhooks = [] }: ServerProcessOptions): string => `
  import { enableCompileCache, flushCompileCache } from 'node:module';
  enableCompileCache(${JSON.stringify(join(tmpdir(), 'varve-compiled'))});
  const { server } = await import('../../src/index.ts');
  const { openStore } = await import('@varve/storage');
  const { sqliteScheme } = await import('@varve/storage/sqlite');
  const { directoryScheme } = await import('@varve/storage/directory');
  flushCompileCache();
  const store = await openStore(${JSON.stringify(storeUrl)}, { sqlite: sqliteScheme, dir: directoryScheme });
  const env = { PATH: process.env.PATH, HOME: ${JSON.stringify(home)} };
  const options = ${JSON.stringify({ keys: [key], home, maxRuns, webhooks })};
  const serving = server({ ...options, store, env });
  const listening = await serving.listen(0);
  process.once('SIGTERM', async () => {
    await listening[Symbol.asyncDispose]();
    await store[Symbol.asyncDispose]();
    process.exit(0);
  });
  console.log(listening.url);`;

/** Starts a server that listens. Disposing it kills it. */
export async function serverProcess(options: ServerProcessOptions): Promise<ServerProcess> {
  const flags = ['--conditions=@varve/source', '--input-type=module', '--eval', source(options)];
  const working = spawn(process.execPath, flags, { cwd: import.meta.dirname, stdio: ['ignore', 'pipe', 'inherit'] });
  const exited = once(working, 'exit');
  const [url] = (await Promise.race([once(createInterface(working.stdout), 'line'), exited])) as [string];
  const end = async (signal: NodeJS.Signals): Promise<void> => {
    working.kill(signal);
    await exited;
  };
  return {
    async json(method, path, body) {
      const response = await fetch(`${url}/api/conversations${path}`, {
        method,
        headers: { 'X-Session-API-Key': key, 'content-type': 'application/json' },
        ...(body !== undefined && { body: JSON.stringify(body) }),
      });
      const text = await response.text();
      if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${text}`);
      return JSON.parse(text);
    },
    kill: () => end('SIGKILL'),
    stop: () => end('SIGTERM'),
    [Symbol.asyncDispose]: () => end('SIGKILL'),
  };
}
