import { mkdtemp, readFile, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { editSetting, editSettings, replaceSettings, type EditedFile } from './edit-settings.ts';

async function newFile(layer: EditedFile['layer'] = 'user'): Promise<EditedFile> {
  const home = await mkdtemp(join(tmpdir(), 'varve-settings-'));
  return { path: join(home, 'config.json'), layer, lockFile: join(home, 'settings.lock') };
}

test('a setting is added, changed and removed, and comments stay', async () => {
  const file = await newFile();
  await writeFile(file.path, '{\n  // Cheap.\n  "budget": {\n    /* few */\n    "steps": 5\n  }\n}\n');
  await editSetting(file, 'budget.cost_usd', 2);
  await editSetting(file, 'budget.steps', 7);
  await editSetting(file, 'tools.add', ['grep']);
  await editSetting(file, 'tools.add', undefined);
  const text = await readFile(file.path, 'utf8');
  expect(text).toContain('// Cheap.');
  expect(text).toContain('/* few */\n    "steps": 7');
  expect(text).toContain('"cost_usd": 2');
  expect(text).not.toContain('grep');
});

test('a new file names its schema, and only its owner reads it', async () => {
  const file = await newFile();
  await editSetting(file, 'store', 'memory:');
  const json = JSON.parse(await readFile(file.path, 'utf8')) as Record<string, unknown>;
  expect(json).toEqual({ $schema: expect.stringMatching(/settings\.schema\.json$/) as unknown, store: 'memory:' });
  expect((await stat(file.path)).mode & 0o777).toBe(0o600);
  const shared = await newFile('project');
  await editSetting(shared, 'tools.preset', 'minimal');
  expect((await stat(shared.path)).mode & 0o777).toBe(0o644);
});

test('nothing is written for a wrong value, or into a file that is invalid', async () => {
  const file = await newFile();
  await expect(editSetting(file, 'budget.steps', 0)).rejects.toThrow(/^budget\.steps: Too small/);
  await expect(stat(file.path)).rejects.toThrow('ENOENT');
  await writeFile(file.path, '{"stor": "x"}');
  await expect(editSetting(file, 'budget.steps', 5)).rejects.toThrow('unknown key "stor"; the nearest is "store"');
  await writeFile(file.path, '{}');
  await expect(replaceSettings(file, () => '{"budget": 5}')).rejects.toThrow('budget is not an object');
  expect(await readFile(file.path, 'utf8')).toBe('{}');
});

test('several settings are changed in one write; a missing one can be removed', async () => {
  const home = await mkdtemp(join(tmpdir(), 'varve-edit-'));
  const path = join(home, 'config.json');
  const file = { path, layer: 'user', lockFile: join(home, 'settings.lock') } as const;
  await editSettings(file, { 'llm.model': 'a', concurrency: 2, 'roles.agent': undefined });
  await editSettings(file, { 'llm.model': undefined, 'llm.base_url': undefined });
  expect(JSON.parse(await readFile(path, 'utf8'))).toMatchObject({ llm: {}, concurrency: 2 });
  await expect(editSettings(file, { concurrency: 3, 'budget.steps': -1 })).rejects.toMatchObject({ code: 'invalid' });
  expect(JSON.parse(await readFile(path, 'utf8'))).toMatchObject({ concurrency: 2 });
});
