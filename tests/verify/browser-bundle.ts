import assert from 'node:assert/strict';
import { gzipSync } from 'node:zlib';
import { build } from 'esbuild';

/** Page that shows the timeline of a log: decodes its events, folds the view, and prints each event. */
const page = `
import { eventCodec } from '@varve/events';
import { builtinKinds } from '@varve/events/kinds';
import { foldEvents, viewProjection } from '@varve/events/projections';
import { eventLines } from '@varve/events/text';
const codec = eventCodec(builtinKinds);
globalThis.timeline = (lines) => {
  const events = lines.map((line) => codec.read(line));
  return { view: foldEvents(viewProjection(codec), events), lines: events.flatMap((event) => eventLines(event)) };
};
`;

/** Limit of the compressed page in bytes. */
const limit = 40_000;

/**
 * Bundles a page with the installed `@varve/events` for browsers and checks its compressed size.
 *
 * @returns size in bytes.
 * @throws {AssertionError} above the limit.
 */
export async function browserBundle(project: string): Promise<number> {
  const { outputFiles } = await build({
    stdin: { contents: page, resolveDir: project },
    bundle: true,
    minify: true,
    format: 'esm',
    platform: 'browser',
    write: false,
    logLevel: 'silent',
  });
  const size = gzipSync(outputFiles[0]?.contents ?? '', { level: 9 }).length;
  assert.ok(size <= limit, `A page with a timeline has ${size} bytes compressed, more than ${limit}.`);
  return size;
}
