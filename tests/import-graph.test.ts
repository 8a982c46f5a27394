import { expect, test } from 'vitest';
import { importCircles, importGraph, usedFiles } from './import-graph.ts';

const graphOf = (files: Readonly<Record<string, string>>) =>
  importGraph(new Map(Object.entries(files)), new Map([['@varve/x', 'x/index.ts']]));

test('files that import each other are one circle, also when they import types only', () => {
  const graph = graphOf({
    'a.ts': `import type { B } from './b.ts';`,
    'b.ts': `export { c } from './c.ts';`,
    'c.ts': `const { a } = await import('./a.ts');`,
    'd.ts': `import { a } from './a.ts';`,
  });
  expect(importCircles(graph)).toEqual([['a.ts', 'b.ts', 'c.ts']]);
});

const library = {
  'x/index.ts': `export { one, two as second } from './numbers.ts'; export { three } from './three.ts';`,
  'x/numbers.ts': `import './side-effect.ts';`,
  'x/three.ts': '',
  'x/side-effect.ts': '',
};

test.for<readonly [string, readonly string[]]>([
  [`import { second } from '@varve/x';`, ['x/numbers.ts', 'x/side-effect.ts']],
  [`const { three } = await import('@varve/x');`, ['x/three.ts']],
  [`const three = (await import('@varve/x')).three;`, ['x/three.ts']],
  [`const all = [import('@varve/x')];`, ['x/index.ts', 'x/numbers.ts', 'x/side-effect.ts', 'x/three.ts']],
  [`export { three } from '@varve/x';`, ['x/three.ts']],
])('%s uses the files of its names', ([text, files]) => {
  const used = usedFiles(graphOf({ ...library, 'main.ts': text }), ['main.ts']);
  expect([...used].toSorted()).toEqual(['main.ts', ...files]);
});
