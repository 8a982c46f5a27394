import fc from 'fast-check';
import { expect, test } from 'vitest';
import { codeRows } from './highlight.ts';
import { MarkdownRows } from './markdown-rows.ts';
import { plainText, type Printable } from './output.ts';

function rowsOf(text: string, { columns = 40, highlight = true, pieces = [text] } = {}): readonly Printable[] {
  const rows = new MarkdownRows(() => columns, highlight ? codeRows : undefined);
  return [...pieces.flatMap((piece) => rows.push(piece)), ...rows.end()];
}

test.for<readonly [string, Printable]>([
  ['## A heading', { style: 'bold', text: 'A heading' }],
  ['#no heading', ['#no heading']],
  ['a `b **c**` **d e**.', ['a ', { style: 'cyan', text: 'b **c**' }, ' ', { style: 'bold', text: 'd e' }, '.']],
  ['2 ** 3 ** 4, x**y**z, ` and `', ['2 ** 3 ** 4, x**y**z, ', { style: 'cyan', text: ' and ' }, '']],
  ['**open', ['**open']],
])('the row %j is styled', ([text, row]) => {
  expect(rowsOf(text)).toEqual([row]);
});

const table = '| Name | What it does |\n|---|:-:|\n| `a` | **adds** 漢 |\n| bb |\n';

test('a table has columns of equal width, whatever the pieces, and stays as it is written where it does not fit', () => {
  const rows = [
    '| Name | What it does |',
    '| ---- | ------------ |',
    '| a    | adds 漢      |',
    '| bb   |              |',
    'end',
  ];
  const pieces = Array.from(`${table}end`);
  expect(rowsOf('', { pieces }).map((row) => plainText(row))).toEqual(rows);
  expect(rowsOf(`${table}end`, { highlight: false })).not.toContain(rows[2]);
  expect(rowsOf(table, { columns: 20 }).map((row) => plainText(row))[0]).toBe('| Name | What it');
  const text = '```\n| a |\n|--|\n```\n| no table\n';
  expect(rowsOf(text, { highlight: false }).map((row) => plainText(row))).toEqual(text.trimEnd().split('\n'));
});

test('code of a block has colours, and what looks like Markdown in it stays', () => {
  const rows = rowsOf('```js\nconst **a** = 1;\n# no\n~~~\n```\n# yes');
  expect(rows.map((row) => plainText(row))).toEqual(['```js', 'const **a** = 1;', '# no', '~~~', '```', 'yes']);
  expect(rows[1]).toContainEqual({ style: 'cyan', text: 'const' });
});

test('without colours every character stays, whatever the pieces', () => {
  const text = fc
    .array(fc.constantFrom('# ', '| ', '`', '**', 'word', ' ', '\n', '```', '漢'))
    .map((parts) => parts.join(''));
  fc.assert(
    fc.property(text, fc.nat(30), (whole, cut) => {
      const pieces = [whole.slice(0, cut), whole.slice(cut)];
      const rows = rowsOf(whole, { highlight: false, columns: 12, pieces });
      const plain = rows.map((row) => plainText(row)).join('');
      expect(plain.replaceAll(/\s/g, '')).toBe(whole.replaceAll(/\s/g, ''));
    }),
  );
});
