import { ToolError } from '../contract/error.ts';

/** Maximum size of one message, in bytes after decompression. */
export const maxMessageBytes = 10 * 1024 * 1024;

const [lineFeed, carriageReturn] = [10, 13];

/**
 * `fetch` whose response ends with a {@link ToolError} when a message is too large: the whole body, or one event of a
 * stream, which may be endless as long as blank lines separate its events.
 */
export async function limitedFetch(url: string | URL, init?: RequestInit): Promise<Response> {
  const response = await fetch(url, init);
  const { body, headers, status } = response;
  // The body of a redirect is not read.
  if (!body || (status >= 300 && status < 400)) return response;
  const isStream = headers.get('content-type')?.startsWith('text/event-stream') ?? false;
  let size = 0;
  let isLineEmpty = false;
  const limited = body.pipeThrough(
    new TransformStream<Uint8Array, Uint8Array>({
      transform(chunk, controller) {
        if (!isStream) size += chunk.length;
        else
          for (const byte of chunk) {
            size += 1;
            if (byte === carriageReturn) continue;
            if (byte === lineFeed && isLineEmpty) size = 0;
            isLineEmpty = byte === lineFeed;
          }
        if (size <= maxMessageBytes) controller.enqueue(chunk);
        else controller.error(new ToolError('unusable', `A message has more than ${maxMessageBytes} bytes.`));
      },
    }),
  );
  return new Response(limited, { status, statusText: response.statusText, headers });
}
