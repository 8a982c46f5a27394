import { parseJson } from '@varve/text';
import { httpFetch } from '../../http/http-fetch.ts';
import { secretsInHeaders } from '../../http/headers.ts';
import type { DumpFolder } from './dump-folder.ts';

/** Options of {@link dumpingFetch}. */
export interface DumpFetchOptions {
  /** Dumps the bodies of requests as sent. */
  readonly requests?: boolean;
  /** Dumps the bodies of responses as received; of an incomplete one, the part that was read. */
  readonly responses?: boolean;
  /** Sends the requests; by default Node's HTTP client, which adapters without a `fetch` use. */
  readonly fetch?: typeof globalThis.fetch;
}

/**
 * Creates a `fetch` for the option of the same name that dumps requests and responses. Headers are omitted, because
 * they contain keys; their values are masked in the bodies.
 */
export function dumpingFetch(folder: DumpFolder, options: DumpFetchOptions): typeof globalThis.fetch {
  const { requests = false, responses = false, fetch = httpFetch } = options;
  return async (input, init) => {
    const url = new Request(input).url;
    const body = typeof init?.body === 'string' ? (parseJson(init.body) ?? init.body) : undefined;
    const model = modelIn(body);
    const secrets = secretsInHeaders(new Headers(init?.headers));
    if (requests && body !== undefined) folder.dump('request', model, { url, body }, secrets);
    const response = await fetch(input, init);
    if (!responses) return response;
    return captureText(response, (text) => {
      const type = response.headers.get('content-type');
      folder.dump('response', model, { url, status: response.status, type, text }, secrets);
    });
  };
}

function modelIn(body: unknown): string {
  return typeof body === 'object' && body !== null && 'model' in body ? String(body.model) : 'unknown';
}

/** Longer bodies are not dumped. */
const maxBytes = 32_000_000;

/** Copies the body while it is read, never ahead of the reader; calls `onText` when the body ends or is cancelled. */
function captureText(response: Response, onText: (text: string) => void): Response {
  if (!response.body) {
    onText('');
    return response;
  }
  const reader: ReadableStreamDefaultReader<Uint8Array> = response.body.getReader();
  const collected = textCollector(onText);
  const body = new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        try {
          const { done, value } = await reader.read();
          if (done) {
            collected.end();
            return controller.close();
          }
          collected.add(value);
          controller.enqueue(value);
        } catch (error) {
          collected.end();
          controller.error(error);
        }
      },
      async cancel(reason) {
        collected.end();
        await reader.cancel(reason);
      },
    },
    { highWaterMark: 0 },
  );
  const { status, statusText, headers } = response;
  return new Response(body, { status, statusText, headers });
}

/** Collects the bytes of a text up to a size; `end` passes it on. */
function textCollector(onText: (text: string) => void) {
  const utf8 = new TextDecoder();
  const pieces: string[] = [];
  let size = 0;
  return {
    add(bytes: Uint8Array): void {
      size += bytes.length;
      if (size <= maxBytes) pieces.push(utf8.decode(bytes, { stream: true }));
      // Not cut: a secret that is cut would not be found.
      else pieces.length = 0;
    },
    end: (): void =>
      onText(size > maxBytes ? `[more than ${maxBytes} bytes, left out]` : [...pieces, utf8.decode()].join('')),
  };
}
