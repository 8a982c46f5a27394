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

test('code of a block has colours, and what looks like Markdown in it stays', () => {
  const rows = rowsOf('```js\nconst **a** = 1;\n# no\n~~~\n```\n# yes');
  expect(rows.map((row) => plainText(row))).toEqual(['```js', 'const **a** = 1;', '# no', '~~~', '```', 'yes']);
  expect(rows[1]).toContainEqual({ style: 'cyan', text: 'const' });
});

test('without colours every character stays, whatever the pieces', () => {
  const text = fc
    .array(fc.constantFrom('# ', '`', '**', 'word', ' ', '\n', '```', '漢'))
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
