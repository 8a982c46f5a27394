// Pursues an objective over several runs: a judge reads the work, and what is missing becomes the next message.
import { Conversation, defineAgent } from '@varve/agent';
import { ConversationStateUpdateEvent } from '@varve/events/kinds';
import { scriptedModel, type ScriptedTurn } from '@varve/llm/testing';
import { memoryStore } from '@varve/storage';
import { defineTool, finish } from '@varve/tools';
import * as z from 'zod';

let passing = 1;
const runTests = defineTool({
  name: 'run_tests',
  description: 'Runs the tests.',
  input: z.object({}),
  effect: 'write',
  execute: async () => `${passing++} of 2 tests pass.`,
});

const round: readonly ScriptedTurn[] = [{ calls: [{ name: 'run_tests', arguments: {} }] }, { text: 'I am done.' }];
const judge = scriptedModel([
  { text: '{"score": 0.5, "complete": false, "missing": "One test fails."}' },
  { text: '{"score": 1, "complete": true, "missing": ""}' },
]);
const agent = defineAgent({ model: scriptedModel([...round, ...round]), tools: [runTests, finish()] });

await using store = memoryStore();
await using conversation = await Conversation.create({ agent, store, workspace: process.cwd() });
const { goal, run } = await conversation.goal.start('Both tests pass.', { judge, maxIterations: 5 });
console.log(goal.status, 'after', goal.iteration, 'rounds:', run.text);

// The states are in the log, so that a loop whose process died is resumed with conversation.goal.resume().
for await (const { event } of conversation.events()) {
  if (ConversationStateUpdateEvent.is(event) && event.key === 'goal') console.log(JSON.stringify(event.value));
}
