import type { TrajectoryFile } from './trajectory-files.ts';

/** Returns a zip file of files, which are read as fast as the zip file is. A failure ends it with an error. */
export async function zipOf(files: AsyncIterable<TrajectoryFile>): Promise<ReadableStream<Uint8Array>> {
  // Loaded here, so that the server starts faster.
  const { TextReader, ZipWriter } = await import('@zip.js/zip.js');
  const { readable, writable } = new TransformStream<Uint8Array, Uint8Array>();
  const zip = new ZipWriter(writable, { useWebWorkers: false });
  const write = async (): Promise<void> => {
    for await (const { path, text } of files) await zip.add(path, new TextReader(text));
    await zip.close();
  };
  // The reader of the stream receives the error.
  write().catch((error: unknown) => writable.abort(error).catch(() => {}));
  return readable;
}
