import { expect, test } from 'vitest';
import { llmSummary } from '@varve/condensers';
import { scriptedModel, type ScriptedStep, type ScriptedTurn } from '@varve/llm/testing';
import { memoryStore } from '@varve/storage';
import { finish } from '@varve/tools';
import type { ModelRequest } from '@varve/llm';
import { defineAgent } from '../src/agent/agent.ts';
import { Conversation } from '../src/conversation/conversation.ts';
import { countingTool } from '../src/testing/counting-tool.ts';

const day = 86_400_000;
const record = (text: string): ScriptedTurn => ({ calls: [{ name: 'record', arguments: { text } }] });

/** Returns the requests whose messages or tools do not begin with those of the request before, as bytes. */
function changedPrefixes(requests: readonly ModelRequest[]): readonly number[] {
  return requests.flatMap((request, index) => {
    const before = requests[index - 1];
    if (!before) return [];
    const isSame = request.messages.slice(0, before.messages.length).every((message, at) => {
      return JSON.stringify(message) === JSON.stringify(before.messages[at]);
    });
    return isSame && JSON.stringify(request.tools) === JSON.stringify(before.tools) ? [] : [index];
  });
}

test('the prefix of requests has the same bytes after a resume, a restart and a change of day, between condensations', async () => {
  await using store = memoryStore();
  const requests: ModelRequest[] = [];
  let now = Date.UTC(2026, 10, 22, 22);
  let id = '';
  const session = async (steps: readonly ScriptedStep[], message: string): Promise<void> => {
    const model = scriptedModel(steps);
    const { tool } = countingTool();
    // Everything is made again, as another process would.
    const agent = defineAgent({ model, tools: () => [tool(), finish()], condenser: llmSummary({ maxEvents: 13 }) });
    const options = { agent, store, workspace: process.cwd(), now: () => now };
    await using conversation = await (id === '' ? Conversation.create(options) : Conversation.open({ ...options, id }));
    ({ id } = conversation);
    await conversation.send(message);
    await conversation.run();
    requests.push(...model.requests.filter(({ tools }) => tools.length > 0));
  };
  await session([record('a'), record('b'), { text: 'Two.' }], 'Record two.');
  now += day;
  await session([record('c'), { text: 'Three.' }], 'Record another.');
  now += 30 * day;
  await session([record('d'), { text: 'A summary.' }, record('e'), { text: 'Five.' }], 'And two more.');
  now += day;
  await session([{ text: 'Six.' }], 'Enough?');
  expect(requests).toHaveLength(9);
  // Only the request after the condensation differs, and its prompt does not.
  const [changed = 0, ...others] = changedPrefixes(requests);
  expect(others).toEqual([]);
  expect(changed).toBeGreaterThan(4);
  expect(JSON.stringify(requests[changed]?.messages[0])).toBe(JSON.stringify(requests[0]?.messages[0]));
  expect(JSON.stringify(requests[changed]?.messages)).toContain('A summary.');
});
