import { condenserKinds } from '@varve/condensers';
import { toolPresets } from '@varve/tools';
import { expect, test } from 'vitest';
import { condenserNames, presetNames } from './choices.ts';
import { settingsJsonSchema } from './json-schema.ts';
import { definitionOf, settingKeys, variablesOf } from './settings.ts';

test('the published JSON Schema is the one of the settings', async () => {
  const text = `${JSON.stringify(settingsJsonSchema(), undefined, 2)}\n`;
  await expect(text).toMatchFileSnapshot('../../settings.schema.json');
});

test('the choices are the registered presets and condensers', () => {
  expect(presetNames).toEqual(Object.keys(toolPresets));
  expect(condenserNames).toEqual(condenserKinds.map(({ kind }) => kind));
});

test('no two settings have the same variable, and none has the name of another section', () => {
  const variables = settingKeys.flatMap(variablesOf);
  expect(new Set(variables).size).toBe(variables.length);
  expect(settingKeys.filter((key) => settingKeys.some((other) => other.startsWith(`${key}.`)))).toEqual([]);
});

test('every default has the type of its setting', () => {
  const wrong = settingKeys.filter((key) => {
    const { schema, defaultValue } = definitionOf(key);
    return defaultValue !== undefined && !schema().safeParse(defaultValue).success;
  });
  expect(wrong).toEqual([]);
});

test('a repository may set nothing that moves keys, runs programs or weakens a confirmation', () => {
  const harmless = settingKeys.filter((key) => definitionOf(key).scope === 'project');
  expect(harmless).toEqual([
    'tools.preset',
    'tools.only',
    'tools.add',
    'tools.remove',
    'condenser.kind',
    'condenser.max_events',
    'condenser.window_share',
  ]);
  const user = settingKeys.filter((key) => definitionOf(key).scope === 'user').join(' ');
  for (const section of ['llm.', 'roles.', 'confirmation.', 'shell.', 'signing.', 'store', 'budget.', 'mcp_enabled']) {
    expect(settingKeys.filter((key) => key.startsWith(section)).every((key) => user.includes(key))).toBe(true);
  }
});
