import { httpFetch } from '../http/http-fetch.ts';
import { secretsInHeaders } from '../http/secrets-in-headers.ts';
import type { DumpFolder } from './dump-folder.ts';

/** What is dumped of each exchange, and who makes it. */
export interface DumpFetchOptions {
  /** Bodies of requests, as they are sent. */
  readonly requests?: boolean;
  /** Bodies of answers, as they came: also of those that break off, as far as they were read. */
  readonly responses?: boolean;
  /** Makes the exchanges; when absent, Node's HTTP client, which adapters use that are given no `fetch`. */
  readonly fetch?: typeof globalThis.fetch;
}

/**
 * A `fetch` for the option of the same name that dumps what goes over the wire. Headers, which hold keys, are left out; what
 * they hold is masked where a body repeats it.
 */
export function dumpingFetch(folder: DumpFolder, options: DumpFetchOptions): typeof globalThis.fetch {
  const { requests = false, responses = false, fetch = httpFetch } = options;
  return async (input, init) => {
    const url = new Request(input).url;
    const body = typeof init?.body === 'string' ? parsed(init.body) : undefined;
    const model = modelIn(body);
    const secrets = secretsInHeaders(new Headers(init?.headers));
    if (requests && body !== undefined) folder.dump('request', model, { url, body }, secrets);
    const answer = await fetch(input, init);
    if (!responses) return answer;
    return captureText(answer, (text) => {
      const type = answer.headers.get('content-type');
      folder.dump('response', model, { url, status: answer.status, type, text }, secrets);
    });
  };
}

function parsed(json: string): unknown {
  try {
    return JSON.parse(json);
  } catch {
    return json;
  }
}

function modelIn(body: unknown): string {
  return typeof body === 'object' && body !== null && 'model' in body ? String(body.model) : 'unknown';
}

/** Reads on behalf of its reader, never ahead of it, and tells the text when there is no more or nobody wants more. */
function captureText(answer: Response, tell: (text: string) => void): Response {
  if (!answer.body) {
    tell('');
    return answer;
  }
  const reader: ReadableStreamDefaultReader<Uint8Array> = answer.body.getReader();
  const utf8 = new TextDecoder();
  const pieces: string[] = [];
  const end = (): void => tell([...pieces, utf8.decode()].join(''));
  const body = new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        try {
          const { done, value } = await reader.read();
          if (done) {
            end();
            return controller.close();
          }
          pieces.push(utf8.decode(value, { stream: true }));
          controller.enqueue(value);
        } catch (error) {
          end();
          controller.error(error);
        }
      },
      async cancel(reason) {
        end();
        await reader.cancel(reason);
      },
    },
    { highWaterMark: 0 },
  );
  const { status, statusText, headers } = answer;
  return new Response(body, { status, statusText, headers });
}
