import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import { isDeepStrictEqual } from 'node:util';
import { expect, onTestFinished } from 'vitest';

/** Request that a receiver accepted. */
export interface Received {
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: readonly Record<string, unknown>[] | Record<string, unknown>;
}

/** A receiver of webhooks. */
export interface WebhookReceiver {
  readonly url: string;
  readonly received: readonly Received[];
  /** Returns the events below a path, in the order of their arrival. */
  readonly events: (path?: string) => readonly Record<string, unknown>[];
  /** Resolves when the events with the current ids have arrived in their order, apart from repeated ones. */
  readonly untilArrived: (ids: () => Promise<readonly string[]>, path?: string) => Promise<void>;
  /** Resolves when a condition holds after a response. */
  readonly until: (isDone: () => boolean) => Promise<void>;
}

/** Starts a receiver that answers with these statuses: 200 for those that it accepts. */
export async function webhookReceiver(
  statusOf: (request: Omit<Received, 'body'>) => number = () => 200,
): Promise<WebhookReceiver> {
  const received: Received[] = [];
  const waiting: (() => void)[] = [];
  const listener = createServer((request, response) => {
    const receive = async (): Promise<void> => {
      const chunks = (await request.toArray()) as Buffer[];
      const { url: path = '', headers } = request;
      const body = JSON.parse(Buffer.concat(chunks).toString()) as Received['body'];
      response.statusCode = statusOf({ path, headers });
      if (response.statusCode === 200) received.push({ path, headers, body });
      response.end();
      for (const check of waiting) check();
    };
    void receive();
  });
  await new Promise<void>((resolve) => listener.listen(0, '127.0.0.1', resolve));
  onTestFinished(
    () =>
      new Promise<void>((resolve) => {
        listener.closeAllConnections();
        listener.close(() => resolve());
      }),
  );
  const { port } = listener.address() as AddressInfo;
  const events: WebhookReceiver['events'] = (start = '') =>
    received
      .filter(({ path }) => path.startsWith(start))
      .flatMap(({ body }) => (Array.isArray(body) ? (body as readonly Record<string, unknown>[]) : []));
  return {
    url: `http://127.0.0.1:${port}/hooks/`,
    received,
    events,
    async untilArrived(ids, path) {
      // The last events of a run are stored after its status.
      const areHere = async (): Promise<boolean> => {
        const stored = await ids();
        const arrived = new Set(events(path).map(({ id }) => String(id)));
        return (
          stored.length > 3 &&
          isDeepStrictEqual(
            [...arrived].filter((id) => stored.includes(id)),
            stored,
          )
        );
      };
      await expect.poll(areHere).toBe(true);
    },
    until: (isDone) =>
      new Promise<void>((resolve) => {
        const check = (): void => void (isDone() && resolve());
        waiting.push(check);
        check();
      }),
  };
}
