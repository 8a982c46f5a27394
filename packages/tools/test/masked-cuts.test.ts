import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { textOf } from '@varve/events';
import { redactor } from '@varve/text';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Tool } from '../src/contract/tool.ts';
import { fileEditor } from '../src/file-editor/file-editor.ts';
import { planningTools } from '../src/presets.ts';
import { grep } from '../src/search/grep.ts';
import { openedTool } from '../src/testing/opened-tool.ts';

const secret = 'Qz7/Wv+Kp3"Xm9&Jt5 Rb8=Lg4<Hd6>Nf2%Yc1Us0';
const pem = `-----BEGIN KEY-----\n${'kqWz7VxJp3Mn9Rt5Yb8Lg4Hd6Nf2Ac1Us0Ee\nRtYuIoPaSdFgHjKlZxCvBnMqWeRtYuIoPkJhGf\n'.repeat(2)}-----END KEY-----`;
const mask = redactor([secret, pem], { replacement: '<secret-hidden>' });
const base64 = (text: string): string => Buffer.from(text).toString('base64');

/** Spellings on one line. */
const spellings: Readonly<Record<string, string>> = {
  plain: secret,
  'of JSON': JSON.stringify(secret).slice(1, -1),
  'of a URL': encodeURIComponent(secret),
  'in base64': base64(`ab${secret}`),
  'in hex': Buffer.from(secret).toString('hex'),
  'of a private key in JSON': JSON.stringify(pem).slice(1, -1),
};

/** Returns parts of a spelling of nine characters, without those that the encoding of the text around it changes. */
function partsOf(spelling: string): readonly string[] {
  return spelling
    .slice(4, -4)
    .split('\n')
    .flatMap((line) => Array.from({ length: Math.max(0, line.length - 8) }, (_, at) => line.slice(at, at + 9)));
}

interface Row {
  readonly tool: () => Tool;
  readonly input: (path: string, range: readonly number[]) => object;
  /** Calls made before. */
  readonly before?: (path: string) => object;
}

const limits = { maxViewChars: 600, redactor: mask };
const edit = { command: 'str_replace', old_str: 'needle', new_str: 'other' };
const editors: Readonly<Record<string, Row>> = {
  view: { tool: () => fileEditor(limits), input: (path) => ({ command: 'view', path }) },
  'view of a range': {
    tool: () => fileEditor(limits),
    input: (path, view_range) => ({ command: 'view', path, view_range }),
  },
  'view of a huge file': {
    tool: () => fileEditor({ ...limits, maxFileBytes: 10 }),
    input: (path, view_range) => ({ command: 'view', path, view_range }),
  },
  str_replace: { tool: () => fileEditor(limits), input: (path) => ({ ...edit, path }) },
  insert: {
    tool: () => fileEditor(limits),
    // Before the secret: a line inside of it would make another text of it.
    input: (path, [first = 1]) => ({ command: 'insert', path, insert_line: first - 1, new_str: 'new' }),
  },
  undo_edit: {
    tool: () => fileEditor(limits),
    before: (path) => ({ ...edit, path }),
    input: (path) => ({ command: 'undo_edit', path }),
  },
};
const searches: Readonly<Record<string, Row>> = {
  grep: { tool: () => grep({ redactor: mask }), input: () => ({ pattern: 'needle' }) },
  'grep of the planning tools': {
    tool: () => planningTools({ redactor: mask }).find(({ name }) => name === 'grep') ?? grep(),
    input: () => ({ pattern: 'needle' }),
  },
};

/** Returns what is stored of a call on a file with this content. */
async function stored({ tool, input, before }: Row, content: string, range: readonly number[]): Promise<string> {
  await using opened = await openedTool(tool());
  const path = join(opened.workspace, 'file');
  await writeFile(path, content);
  if (before) await opened.call(before(path));
  const observation = await opened.call(input(path, range));
  expect(observation.is_error, textOf(observation.content)).toBe(false);
  return JSON.stringify(mask.value(observation).content);
}

const columns = fc.oneof(fc.nat(80), fc.integer({ min: 150, max: 520 }), fc.integer({ min: 1700, max: 2100 }));

describe.for(Object.entries({ ...editors, ...searches }))('%s', ([, row]) => {
  test.for(Object.entries(spellings))('a cut of a line shows no part of a secret %s', async ([, spelling]) => {
    const parts = partsOf(spelling);
    await fc.assert(
      fc.asyncProperty(columns, columns, fc.integer({ min: 1, max: 30 }), async (left, right, times) => {
        const line = `needle ${'.'.repeat(left)}${`${spelling} `.repeat(times)}${'.'.repeat(right)}\nlast\n`;
        const text = await stored(row, line, [1, -1]);
        expect(parts.filter((part) => text.includes(JSON.stringify(part).slice(1, -1)))).toEqual([]);
      }),
      { numRuns: 6 },
    );
  });
});

describe.for(Object.entries(editors))('%s', ([, row]) => {
  test('a cut between lines shows no part of a private key', async () => {
    const parts = partsOf(pem);
    await fc.assert(
      fc.asyncProperty(fc.nat(40), fc.nat(20), fc.nat(40), async (above, from, below) => {
        const content = `${'..\n'.repeat(above)}${pem}\nneedle\n${'..\n'.repeat(below)}`;
        const first = Math.min(above + 1, from + 1);
        const text = await stored(row, content, [first, above + 3]);
        expect(parts.filter((part) => text.includes(part))).toEqual([]);
      }),
      { numRuns: 6 },
    );
  });
});

test.for(['view', 'view of a huge file'] as const)(
  'the numbers of lines after a masked secret stay: %s',
  async (name) => {
    const row = editors[name];
    const text = row && (await stored(row, `one\r\n${pem.replaceAll('\n', '\r\n')}\r\nlast\r\n`, [1, -1]));
    expect(text).toContain(String.raw`     2\t<secret-hidden>\n     3\t\n     4\t\n`);
    expect(text).toContain(String.raw`     8\tlast`);
  },
);
