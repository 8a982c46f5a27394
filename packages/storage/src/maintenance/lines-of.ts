import { StorageError } from '../contract/error.ts';

/** The lines of a UTF-8 text that comes in any chunks, without their line feeds. @throws {StorageError} `corrupt`. */
export async function* linesOf(chunks: AsyncIterable<string | Uint8Array>): AsyncGenerator<string> {
  const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
  let parts: string[] = [];
  for await (const chunk of chunks) {
    const [first = '', ...rest] = decoded(decoder, chunk).split('\n');
    parts.push(first);
    for (const part of rest) {
      yield parts.join('');
      parts = [part];
    }
  }
  const last = parts.join('');
  if (last !== '') yield last;
}

function decoded(decoder: Pick<InstanceType<typeof TextDecoder>, 'decode'>, chunk: string | Uint8Array): string {
  if (typeof chunk === 'string') return chunk;
  try {
    return decoder.decode(chunk, { stream: true });
  } catch (cause) {
    throw new StorageError('corrupt', 'The bundle is no UTF-8.', { cause });
  }
}
