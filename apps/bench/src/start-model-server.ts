import { fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';

/** The address of a running model server; disposing ends its process. */
export interface ModelServer extends Disposable {
  readonly url: string;
  /** Milliseconds from each reply to the request after it, since the last call. */
  gaps(): Promise<readonly number[]>;
}

/** Starts the model server of `model-server.ts` in a process of its own. */
export async function startModelServer(): Promise<ModelServer> {
  const child = fork(fileURLToPath(new URL('model-server.ts', import.meta.url)));
  const [url] = (await once(child, 'message')) as [string];
  return {
    url,
    gaps: async () => (await (await fetch(`${url}/gaps`)).json()) as readonly number[],
    [Symbol.dispose]: () => child.disconnect(),
  };
}
