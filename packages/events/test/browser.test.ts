import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { createContext, runInContext } from 'node:vm';
import { rolldown } from 'rolldown';
import { expect, test } from 'vitest';

const root = new URL('../', import.meta.url);
const { exports } = JSON.parse(readFileSync(new URL('package.json', root), 'utf8')) as {
  readonly exports: Readonly<Record<string, string | { readonly '@varve/source': string }>>;
};
/** All entries except the contract suites, which run in Node.js. */
const entries = Object.entries(exports).flatMap(([subpath, target]) =>
  typeof target === 'string' || subpath === './testing' ? [] : [fileURLToPath(new URL(target['@varve/source'], root))],
);

/** Script that imports everything, and writes, reads, folds and renders a log. */
const script = `
${entries.map((entry, index) => `import * as part${index} from ${JSON.stringify(entry)};`).join('\n')}
const all = Object.assign({}, ${entries.map((_, index) => `part${index}`).join(', ')});
const codec = all.eventCodec(all.builtinKinds);
const now = all.timestamps(() => 0);
const hello = all.MessageEvent.create(
  { source: 'user', llm_message: { role: 'user', content: [all.text('Hello')] } },
  { id: '00000000-0000', timestamp: now() },
);
const lines = [codec.encode(hello), '{"id":"e1","kind":"SomethingNew"}', 'no json'];
const events = lines.map((line) => codec.read(line));
const view = all.foldEvents(all.viewProjection(codec), events);
const messages = all.messageBuilder(codec)(view.events);
globalThis.answer = JSON.stringify({
  kinds: events.map((event) => event.kind),
  texts: messages.map((message) => all.textOf(message.content)),
  problems: all.checkMessages(messages),
  lines: events.map((event) => all.eventLines(event).map((line) => line.text).join('\\n')),
  title: all.foldEvents(all.statusProjection, events).execution,
  names: Object.keys(all).length,
});
`;

/** Bundles the script with all of its imports. */
async function bundled(): Promise<string> {
  const bundle = await rolldown({
    input: 'page',
    platform: 'browser',
    logLevel: 'silent',
    plugins: [
      {
        name: 'page',
        resolveId: (id) => (id === 'page' ? fileURLToPath(new URL('page.js', import.meta.url)) : undefined),
        load: (id) => (id.endsWith('page.js') ? script : undefined),
      },
    ],
  });
  const { output } = await bundle.generate({ format: 'iife', codeSplitting: false });
  await bundle.close();
  return output[0].code;
}

test('one bundle runs without globals of Node.js or browsers', async () => {
  const code = await bundled();
  // A new context has the globals of the language only: no process, Buffer, require, timers, URL.
  const page = createContext({});
  runInContext(code, page);
  expect(JSON.parse(String((page as { readonly answer?: unknown }).answer))).toMatchObject({
    kinds: ['MessageEvent', 'OpaqueEvent', 'OpaqueEvent'],
    texts: ['Hello'],
    problems: [],
    lines: ['› Hello', 'SomethingNew (preserved)', expect.stringContaining('unreadable event')],
    title: 'idle',
  });
  expect(code).not.toMatch(/\brequire\(|from ["']node:/);
});
