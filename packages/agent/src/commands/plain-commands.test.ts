import { expect, test } from 'vitest';
import { plainCommands } from './plain-commands.ts';

test.for([
  ['git push origin main', [['git', 'push', 'origin', 'main']]],
  [
    'npm test && git status; ls -la | head -3',
    [
      ['npm', 'test'],
      ['git', 'status'],
      ['ls', '-la'],
      ['head', '-3'],
    ],
  ],
  [`grep "a b" 'c d' e`, [['grep', 'a b', 'c d', 'e']]],
  ['cd a\nmake 2>&1', [['cd', 'a'], ['make']]],
  ['ls ~/x', [['ls', '~/x']]],
  ['sleep 9 & time -p make', [['sleep', '9'], ['make']]],
  ['A=1 B="x y" make t', [['env', 'A=1', 'B=x y', 'make', 't']]],
  [
    String.raw`find . \( -name a\*b \) -exec cat {} \;`,
    [['find', '.', '(', '-name', 'a*b', ')', '-exec', 'cat', '{}', ';']],
  ],
] as const)('%j is plain', ([script, words]) => {
  expect(plainCommands(script)?.map((command) => command.words.slice(0, words[0].length))).toEqual(
    words.map((list) => [...list]),
  );
});

test('files that are written are listed, and wildcards are noticed outside of quotes', () => {
  expect(plainCommands(`ls *.ts > out.txt; grep 'a*' x 2> /dev/null`)).toEqual([
    { words: ['ls', '*.ts'], writes: ['out.txt'], isOpen: true },
    { words: ['grep', 'a*', 'x'], writes: [] },
  ]);
});

test.for([
  'rm $X',
  'echo $(cat x)',
  'echo `cat x`',
  'X=$Y make',
  'X+=1 make',
  'for f in a b; do rm $f; done',
  '(cd a && make)',
  'cat <<EOF\nx\nEOF',
  'cat ~root/x',
  '! true',
  'if',
  `ls ${'x'.repeat(10_000)}`,
])('%j is more than plain words', (script) => {
  expect(plainCommands(script)).toBeUndefined();
});
