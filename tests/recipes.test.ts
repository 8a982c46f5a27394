import { globSync } from 'node:fs';
import { basename, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { readText, root } from './workspace.ts';

interface Recipe {
  /** Files of things of this kind, and what a file contains that defines one. */
  readonly files: string;
  readonly defines: RegExp;
  /** Files that list all of them. */
  readonly lists: readonly string[];
}

/** How each thing of AGENTS.md is added, by its row there. */
const recipes: Readonly<Record<string, Recipe>> = {
  'event kind': {
    files: 'packages/events/src/kinds/*.ts',
    defines: /^export const \w+ = defineEvent\(/m,
    lists: ['packages/events/src/kinds/builtin-kinds.ts', 'packages/events/src/kinds/index.ts'],
  },
  fact: {
    files: 'packages/events/src/facts/*.ts',
    defines: /^export const \w+ = defineFact\(/m,
    lists: ['packages/events/src/facts/index.ts'],
  },
  projection: {
    files: 'packages/events/src/projections/*.ts',
    defines: /^export (?:const|function) \w+Projection\b/m,
    lists: ['packages/events/src/projections/state-projections.ts', 'packages/events/src/projections/index.ts'],
  },
  'model wrapper': {
    files: 'packages/llm/src/wrappers/*.ts',
    defines: /^export function .*\): ModelWrapper \{/m,
    lists: ['packages/llm/src/wrappers/index.ts', 'packages/llm/src/wrappers/wrappers.test.ts'],
  },
  condenser: {
    files: 'packages/condensers/src/*.ts',
    defines: /defineCondenserKind\(/,
    lists: ['packages/condensers/src/index.ts', 'packages/condensers/src/registry/condenser-kinds.ts'],
  },
  tool: {
    files: 'packages/tools/src/**/*.ts',
    defines: /return defineBuiltinTool\(/,
    lists: [
      'packages/tools/src/index.ts',
      'packages/tools/src/specs/tool-kinds.ts',
      'packages/tools/test/tool-contract.test.ts',
    ],
  },
  command: {
    files: 'apps/cli/src/commands/*.ts',
    defines: /^export const \w+: CliCommand = /m,
    lists: ['apps/cli/src/commands.ts'],
  },
  route: {
    files: 'packages/server/src/http/*/*.ts',
    defines: /^export const \w+Routes\b/m,
    lists: ['packages/server/src/http/routes.ts'],
  },
};

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
