import { fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';

/** The address of a running model server; disposing ends its process. */
export interface ModelServer extends Disposable {
  readonly url: string;
  /** Returns the requests since the last call, without the first request. */
  requests(): Promise<readonly RequestSample[]>;
}

/** One request, measured by the server. */
export interface RequestSample {
  /** Milliseconds from the last byte of the previous reply to the last byte of the request. */
  readonly ms: number;
  /** Length of the body in bytes. */
  readonly bytes: number;
  /** Processor time of the model server since the previous request. */
  readonly serverCpuMs: number;
}

/** Starts the model server of `model-server.ts` in a separate process, with a delay before each reply (default 0). */
export async function startModelServer({ thinkingMs = 0 } = {}): Promise<ModelServer> {
  const child = fork(fileURLToPath(new URL('model-server.ts', import.meta.url)), [String(thinkingMs)]);
  const [url] = (await once(child, 'message')) as [string];
  return {
    url,
    requests: async () => (await (await fetch(`${url}/requests`)).json()) as readonly RequestSample[],
    [Symbol.dispose]: () => child.disconnect(),
  };
}
