import { expect, test } from 'vitest';
import { importsOf } from './imports-of.ts';

test('finds every form of import', () => {
  const source = [
    "import 'a';",
    "import b from 'b';",
    "import type { C } from 'c';",
    "export { d } from 'd';",
    "import {\n  e,\n} from 'e';",
    "const f = await import('f');",
    "type G = import('g').G;",
  ].join('\n');
  expect(importsOf(source)).toEqual(['a', 'b', 'c', 'd', 'e', 'f', 'g']);
});

test('ignores an import in a comment', () => {
  expect(importsOf("/** `import { a } from 'a'` */\n// import 'b';\nimport 'c';\n")).toEqual(['c']);
});
