import { fileChunks } from '@varve/tools/workspace';
import type { OpenedFile } from './file-access.ts';

/** Options of `fileResponse`. */
export interface FileResponseOptions {
  readonly type: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** True for the response to `HEAD`, which has no body. */
  readonly isHead: boolean;
}

/** Returns a response with the bytes of a file, and closes it at their end. A file that shrinks ends in an error. */
export async function fileResponse(
  { handle, bytes }: OpenedFile,
  { type, headers, isHead }: FileResponseOptions,
): Promise<Response> {
  const all = {
    'content-type': type,
    'content-length': String(bytes),
    'x-content-type-options': 'nosniff',
    ...headers,
  };
  if (!isHead && bytes > 0) return new Response(streamOf({ handle, bytes }), { headers: all });
  await handle.close();
  return new Response(null, { headers: all });
}

/** Returns the header that makes browsers save a file, whose name may contain any character. */
export function attachment(name: string): Readonly<Record<string, string>> {
  const plain = name.replaceAll(/[^\x20-\x7E]|["\\%]/g, '_');
  const encoded = encodeURIComponent(name.toWellFormed()).replaceAll(/['()*]/g, (character) => {
    return `%${character.charCodeAt(0).toString(16).toUpperCase()}`;
  });
  return { 'content-disposition': `attachment; filename="${plain}"; filename*=UTF-8''${encoded}` };
}

function streamOf({ handle, bytes }: Pick<OpenedFile, 'handle' | 'bytes'>): ReadableStream<Uint8Array> {
  const chunks = fileChunks(handle);
  let left = bytes;
  return new ReadableStream({
    async pull(controller) {
      try {
        const { value } = await chunks.next();
        if (!value) throw new Error('The file has become shorter.');
        controller.enqueue(value.subarray(0, left));
        left -= value.length;
        if (left > 0) return;
        controller.close();
      } catch (error) {
        controller.error(error);
      }
      await handle.close();
    },
    cancel: () => handle.close(),
  });
}
