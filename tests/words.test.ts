import { describe, expect, test } from 'vitest';
import { trackedFiles } from './tracked-files.ts';
import { docstringStarts, identifierWords, longCells, longCommentLines, proseWords, type WordCount } from './words.ts';
import { readText } from './workspace.ts';

const files = trackedFiles().filter((file) => /\.(?:ts|md)$/.test(file) && !/golden|fixtures|CHANGELOG/.test(file));
const sources = files.filter((file) => file.endsWith('.ts') && file !== 'tests/words.ts');
const documents = files.filter((file) => file.endsWith('.md'));

const perThousand = 0.5;

/** Files by package, or by their first folder. */
const groups = Map.groupBy(files, (file) =>
  file
    .split('/')
    .slice(0, /^(?:packages|apps)\//.test(file) ? 2 : 1)
    .join('/'),
);

describe.for([...groups])('%s', ([, group]) => {
  const sourcesOf = group.filter((file) => sources.includes(file));

  test('is written in plain words', () => {
    expect(
      excess(group.filter((file) => file !== 'tests/words.ts').map((file) => proseWords(file, readText(file)))),
    ).toEqual([]);
  });

  test('has identifiers of plain words', () => {
    expect(excess(sourcesOf.map((file) => identifierWords(file, readText(file))))).toEqual([]);
  });

  test('has docstrings that start with a verb or a noun', () => {
    const starts = sourcesOf.map((file) => docstringStarts(readText(file)));
    const all = starts.reduce((sum, start) => sum + start.all, 0);
    const odd = starts.flatMap((start) => start.odd);
    expect(odd.length > 0.03 * all ? odd : []).toEqual([]);
  });
});

test('no line of a comment has more than 120 columns', () => {
  const long = sources.flatMap((file) => longCommentLines(readText(file), 120).map((line) => `${file}:${line}`));
  expect(long).toEqual([]);
});

test.for(documents)('no table cell of %s has more than 200 characters', (file) => {
  expect(longCells(readText(file), 200)).toEqual([]);
});

/** Odd words, if there are more of them than the limit allows. */
function excess(counts: readonly WordCount[]): readonly string[] {
  const odd = counts.flatMap((count) => count.odd);
  const words = counts.reduce((sum, count) => sum + count.words, 0);
  return odd.length > Math.max(1, (words * perThousand) / 1000) ? odd : [];
}

const odd = ['to', 'ld'].join('');

test('odd words are found in comments, strings, Markdown and identifiers, and not in code blocks', () => {
  const source = `// It was ${odd} so.\nconst ${odd}Fields = 'It was ${odd} so.';\n`;
  expect(proseWords('a.ts', source).odd).toHaveLength(2);
  expect(identifierWords('a.ts', source).odd).toEqual([`a.ts:2: ${odd}Fields`]);
  expect(proseWords('a.md', `It was ${odd}.\n\`\`\`\n${odd}\n\`\`\`\n`).odd).toHaveLength(1);
});

test('long comment lines and table cells are found', () => {
  expect(longCommentLines(`// ${'a '.repeat(60)}\nconst a = 1;\n`, 120)).toEqual([1]);
  expect(longCells(`| a | ${'b'.repeat(201)} |\n`, 200)).toHaveLength(1);
});
