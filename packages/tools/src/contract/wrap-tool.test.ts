import { text, textOf } from '@varve/events';
import { expect, expectTypeOf, test } from 'vitest';
import * as z from 'zod';
import { openedTool } from '../testing/opened-tool.ts';
import { defineTool } from './define-tool.ts';
import { ToolError } from './error.ts';
import type { OwnedTool, SharedTool } from './tool.ts';
import { wrapTool } from './wrap-tool.ts';

const weather = defineTool({
  name: 'weather',
  aliases: ['forecast'],
  description: 'Returns the weather of a city.',
  input: z.object({ city: z.string().describe('The city.') }),
  effect: 'read',
  execute: async ({ city }, { idempotencyKey }) => `Sun in ${city}, ${idempotencyKey}.`,
});

const close = async (): Promise<void> => undefined;

test('a wrapped tool differs in its calls only, and keeps its type', () => {
  const wrapped = wrapTool(weather, async (_call, execute) => execute());
  expect({ ...wrapped, execute: 0 }).toEqual({ ...weather, execute: 0 });
  expect(Object.keys(wrapped)).toEqual(Object.keys(weather));
  expectTypeOf(wrapped).toEqualTypeOf<SharedTool<{ city: string }>>();
  const common = { name: 'shell', description: 'Runs.', effect: 'write' } as const;
  const owned = defineTool({ ...common, input: z.object({}), execute: async () => '', close });
  const again = wrapTool(owned, async (_call, execute) => execute());
  expectTypeOf(again).toExtend<OwnedTool>();
  expect({ ...again, execute: 0 }).toEqual({ ...owned, execute: 0 });
});

test('code runs before and after a call, in the order of the wrappers, and changes its context and its result', async () => {
  const order: string[] = [];
  const counted = wrapTool(weather, async ({ tool, input: { city }, context }, execute) => {
    order.push(`${tool.name} of ${city}`);
    const observation = await execute({ ...context, idempotencyKey: 'mine' });
    order.push('read');
    return observation;
  });
  const short = wrapTool(counted, async (_call, execute) => {
    order.push('outer');
    const { content } = await execute();
    return { ...(await execute()), content: [text(textOf(content).slice(0, 3))] };
  });
  await using probe = await openedTool(short);
  expect(textOf((await probe.call({ city: 'Oslo' })).content)).toBe('Sun');
  expect(order).toEqual(['outer', 'weather of Oslo', 'read', 'weather of Oslo', 'read']);
  await using inner = await openedTool(counted);
  expect(textOf((await inner.call({ city: 'Rome' })).content)).toBe('Sun in Rome, mine.');
});

test('a call that the function refuses does not run, and one that is cancelled fails as aborted', async () => {
  await using refused = await openedTool(
    wrapTool(weather, () => Promise.reject(new ToolError('unusable', 'Not on Sundays.'))),
  );
  await expect(refused.call({ city: 'Oslo' })).rejects.toMatchObject({ message: 'Not on Sundays.' });
  const controller = new AbortController();
  const hanging = wrapTool(weather, () => {
    controller.abort();
    return new Promise(() => undefined);
  });
  await using late = await openedTool(hanging);
  await expect(late.call({ city: 'Oslo' }, controller)).rejects.toMatchObject({ code: 'aborted' });
});
