import { defineTool, wrapTool, type Tool } from '@varve/tools';
import { expect, test } from 'vitest';
import * as z from 'zod';
import { ChangingTools } from './changing-tools.ts';

const { signal } = new AbortController();

/** Returns a source of tools that reports the next changes, and names the tools that were closed. */
function changingSource(...names: readonly string[]) {
  const closed: string[] = [];
  const made: Tool[] = [];
  let next: { readonly added: readonly Tool[]; readonly removed: readonly Tool[] } = { added: [], removed: [] };
  const source: NonNullable<Tool['source']> = { made, changes: async () => next };
  const make = (name: string, description = 'Does it.'): Tool => ({
    ...defineTool({ name, description, input: z.object({}), effect: 'read', execute: async () => 'Done.' }),
    source,
    close: async () => void closed.push(`${name}: ${description}`),
  });
  made.push(...names.map((name) => make(name)));
  const change = (added: readonly Tool[], removed: readonly Tool[] = []): void => {
    next = { added, removed };
  };
  return { made, make, change, closed };
}

const named = (tools: readonly Tool[]) => new Map(tools.map((tool) => [tool.name, tool]));

test('tools of a source are added, replaced and removed, and what is not used is closed', async () => {
  const { made, make, change, closed } = changingSource('a', 'b');
  const tools = named(made);
  const changing = new ChangingTools(tools);
  expect(await changing.update(signal)).toBe(false);
  change([make('a', 'Does more.'), make('c')], made);
  expect(await changing.update(signal)).toBe(true);
  expect([...tools.values()].map(({ name, description }) => [name, description])).toEqual([
    ['a', 'Does more.'],
    ['c', 'Does it.'],
  ]);
  expect(closed).toEqual(['a: Does it.', 'b: Does it.']);
});

test('a conversation that uses some tools of a source gets no others, and no tool is replaced by one of another origin', async () => {
  const { made, make, change, closed } = changingSource('a', 'b');
  const [a] = made;
  const part = named(a ? [a] : []);
  const changing = new ChangingTools(part);
  change([make('c')]);
  expect([await changing.update(signal), [...part.keys()], closed]).toEqual([false, ['a'], ['c: Does it.']]);
  const own = changingSource('a');
  const tools = named([...own.made, ...changingSource('d').made]);
  own.change([own.make('d', 'Replaces.')]);
  expect(await new ChangingTools(tools).update(signal)).toBe(false);
  expect([tools.get('d')?.description, own.closed]).toEqual(['Does it.', ['d: Replaces.']]);
});

test('tools of a source whose tools are wrapped are wrapped as those that they replace, others as the first', async () => {
  const { made, make, change, closed } = changingSource('a', 'b');
  const calls: string[] = [];
  const wrapped = (name: string, tool: Tool): Tool =>
    wrapTool(tool, async ({ tool: { name: called } }, execute) => (calls.push(`${name} ${called}`), execute()));
  const [a, b] = made.map((tool, index) => wrapped(`wrapper ${index}`, tool));
  const tools = named([a, b].flatMap((tool) => (tool ? [wrapped('outer', tool)] : [])));
  const changing = new ChangingTools(tools);
  const changes = [make('b', 'Does more.'), make('c')];
  change(changes, made.slice(1));
  expect([await changing.update(signal), [...tools.keys()], closed]).toEqual([true, ['a', 'b', 'c'], ['b: Does it.']]);
  change([make('c', 'Does more.')], changes.slice(1));
  await changing.update(signal);
  const context = { workspace: '/', signal, idempotencyKey: 'key' };
  for (const tool of tools.values()) await tool.execute({}, context);
  expect(calls).toEqual(['outer a', 'wrapper 0 a', 'outer b', 'wrapper 1 b', 'outer c', 'wrapper 0 c']);
});
