import { fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';

/** The address of a running model server; disposing ends its process. */
export interface ModelServer extends Disposable {
  readonly url: string;
  /** What came since the last call, without the first request. */
  requests(): Promise<readonly RequestSample[]>;
}

/** A request as the server saw it. */
export interface RequestSample {
  /** Milliseconds from the last byte of the reply before to its own last byte. */
  readonly ms: number;
  /** Of its body. */
  readonly bytes: number;
}

/** Starts the model server of `model-server.ts` in a process of its own. Before each answer it thinks, by default not at all. */
export async function startModelServer({ thinkingMs = 0 } = {}): Promise<ModelServer> {
  const child = fork(fileURLToPath(new URL('model-server.ts', import.meta.url)), [String(thinkingMs)]);
  const [url] = (await once(child, 'message')) as [string];
  return {
    url,
    requests: async () => (await (await fetch(`${url}/requests`)).json()) as readonly RequestSample[],
    [Symbol.dispose]: () => child.disconnect(),
  };
}
