import { globSync } from 'node:fs';
import { basename, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { recipes } from './recipes.ts';
import { readText, root } from './workspace.ts';

const rows = readText('AGENTS.md').split('\n');

describe.for(Object.entries(recipes))('to add a %s', ([thing, { files, defines, lists }]) => {
  const defining = globSync(files, { cwd: root }).filter(
    (file) => !file.endsWith('.test.ts') && defines.test(readText(file)),
  );

  test('AGENTS.md names each list', () => {
    const row = rows.find((line) => line.startsWith(`| ${thing} `)) ?? '';
    expect(lists.filter((list) => !row.includes(basename(list)))).toEqual([]);
  });

  test.for(lists)('%s has a line', (list) => {
    expect(defining.length).toBeGreaterThan(2);
    const text = readText(join(list));
    expect(defining.filter((file) => !text.includes(`/${basename(file)}'`))).toEqual([]);
  });
});

describe('to add a setting', () => {
  const definitions = 'packages/settings/src/definitions/settings.ts';
  const names = [...readText(definitions).matchAll(/^ {2}'?([\w.]+)'?: setting\b/gm)].map(([, name = '']) => name);

  test('AGENTS.md names the list', () => {
    expect(rows.find((line) => line.startsWith('| setting ')) ?? '').toContain(definitions);
  });

  test('the schema has each line', () => {
    expect(names.length).toBeGreaterThan(20);
    const schema: unknown = JSON.parse(readText('packages/settings/settings.schema.json'));
    const isListed = (name: string): boolean =>
      name.split('.').reduce((within, key) => Object(Object(within).properties)[key] as unknown, schema) !== undefined;
    expect(names.filter((name) => !isListed(name))).toEqual([]);
  });
});
