import fc from 'fast-check';
import { expect, test } from 'vitest';
import { parsePatch, type PatchHunk } from './parse-patch.ts';
import { patchLines } from './patch-lines.ts';
import { applyChunks } from './apply-chunks.ts';

const body = '*** Begin Patch\n*** Add File: a\n+x\n*** End Patch';
const parsed = (text: string): unknown => parsePatch(patchLines(text));
const added: readonly PatchHunk[] = [{ kind: 'add', path: 'a', text: 'x\n' }];

test.for([
  ['blanks around it', `\n\n  ${body}\n  `],
  ['blanks around markers', body.replace('Patch\n', 'Patch  \n').replace('*** End', '  *** End')],
  ['other line ends', body.replaceAll('\n', '\r\n')],
  ['a here-document', `<<'EOF'\n${body}\nEOF`],
  ['a here-document of a command', `apply_patch <<"PATCH"\n${body}\nPATCH`],
  ['JSON', JSON.stringify({ patch: body })],
  ['a list of arguments', JSON.stringify(['apply_patch', body])],
  ['operations', JSON.stringify({ operations: [{ type: 'create_file', path: 'a', diff: '+x\n' }] })],
  ['one operation', JSON.stringify({ type: 'create_file', path: 'a', diff: '+x' })],
] as const)('a patch is parsed with %s', ([, text]) => {
  expect(parsed(text)).toEqual(added);
});

test('operations may change, move and delete', () => {
  const operations = [
    { type: 'update_file', path: 'a', diff: '@@\n-1\n+2', moveTo: 'b' },
    { type: 'delete_file', path: 'c' },
  ];
  expect(parsed(JSON.stringify({ operations }))).toMatchObject([
    { kind: 'update', path: 'a', moveTo: 'b', chunks: [{ lines: [{ mark: '-' }, { mark: '+' }] }] },
    { kind: 'delete', path: 'c' },
  ]);
});

test('an empty line in a change is an empty line of context', () => {
  expect(parsed('*** Begin Patch\n*** Update File: a\n x\n\n-y\n*** End Patch')).toMatchObject([
    { chunks: [{ lines: [{ text: 'x' }, { mark: ' ', text: '' }, { mark: '-', text: 'y' }] }] },
  ]);
});

test('line numbers of unified diffs are ignored', () => {
  expect(parsed('*** Begin Patch\n*** Update File: a\n@@ -1,2 +1,2 @@ def f():\n-y\n*** End Patch')).toMatchObject([
    { chunks: [{ anchors: ['def f():'] }] },
  ]);
});

test.for([
  ['', 1, 'Begin Patch'],
  ['text\n*** Begin Patch\n*** End Patch', 1, 'Begin Patch'],
  ['*** Begin Patch\n*** Add File: a\n+x', 3, 'End Patch'],
  ['*** Begin Patch\n*** End Patch', 2, 'changes no file'],
  ['*** Begin Patch\nx\n*** End Patch', 2, 'expected'],
  ['*** Begin Patch\n*** Rename File: a\n*** End Patch', 2, 'expected'],
  ['*** Begin Patch\n*** Add File: \n+x\n*** End Patch', 2, 'path is missing'],
  ['*** Begin Patch\n*** Add File: a\nx\n*** End Patch', 3, 'begin with "+"'],
  ['*** Begin Patch\n*** Delete File: a\n-x\n*** End Patch', 3, 'nothing may follow'],
  ['*** Begin Patch\n*** Update File: a\n*** End Patch', 2, 'no change follows'],
  ['*** Begin Patch\n*** Update File: a\n@@\n*** End Patch', 3, 'no change follows'],
  ['*** Begin Patch\n*** Update File: a\n*** End of File\n*** End Patch', 3, 'no change precedes'],
  ['*** Begin Patch\n*** Update File: a\nx\n*** End Patch', 3, 'must begin with'],
  ['*** Begin Patch\n*** Update File: a\n-x\n*** End of File\n-y\n*** End Patch', 5, 'begin with "@@"'],
  ['*** Begin Patch\n*** Update File: a\n-x\n*** Other\n*** End Patch', 4, 'must begin with'],
  ['*** Begin Patch\n*** Update File: a\n*** Move to: \n-x\n*** End Patch', 3, 'path is missing'],
  ['{"patch": 7}', 1, 'Begin Patch'],
  ['{', 1, 'Begin Patch'],
] as const)('%j is refused at line %i', ([text, line, what]) => {
  const { refused } = parsed(text) as { refused: string };
  expect(refused).toContain(`at line ${line}:`);
  expect(refused).toContain(what);
});

const pieces = [
  '*** Begin Patch',
  '*** End Patch',
  '*** Add File: a',
  '*** Update File: a',
  '*** Delete File: ',
  '*** Move to: b',
  '*** End of File',
  '@@',
  '@@ x',
  '+x',
  '-x',
  ' x',
  '',
  '***',
  "<<'EOF'",
  'EOF',
  '{"patch": "',
  '{"operations": [',
];

test('any input is a patch or is refused with a reason', () => {
  const piece = fc.constantFrom(...pieces);
  const lines = fc.array(fc.oneof(piece, fc.string()), { maxLength: 12 });
  fc.assert(
    fc.property(lines, fc.boolean(), (between, isWhole) => {
      const all = isWhole ? ['*** Begin Patch', ...between, '*** End Patch'] : between;
      const result = parsed(all.join('\n'));
      expect(Array.isArray(result) || typeof (result as { refused?: unknown }).refused === 'string').toBe(true);
    }),
    { numRuns: 500 },
  );
});

test('a change with the whole file as context produces exactly its result', async () => {
  const line = fc.constantFrom('a', 'b', ' c', '', '}', '@@ x', '*** End');
  const change = fc.array(fc.tuple(fc.constantFrom(' ', '-', '+'), line), { minLength: 1, maxLength: 12 });
  const { signal } = new AbortController();
  await fc.assert(
    fc.asyncProperty(change, fc.boolean(), async (lines, isCrlf) => {
      const lineEnd = isCrlf ? '\r\n' : '\n';
      const side = (mark: string): string =>
        lines
          .filter((entry) => entry[0] === ' ' || entry[0] === mark)
          .map((entry) => entry[1] + lineEnd)
          .join('');
      const chunk = { anchors: [], isAtEnd: false, line: 1 };
      const marked = lines.map(([mark, text]) => ({ mark: mark as ' ', text }));
      const result = await applyChunks(
        { text: side('-'), lineEnd },
        { path: 'a', chunks: [{ ...chunk, lines: marked }], signal },
      );
      expect(result).toEqual({ text: side('+'), fuzz: 0 });
    }),
    { numRuns: 100 },
  );
});
