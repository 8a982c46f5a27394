// Composes agents: a loop of two steps that one of them ends, and agents that hand a task over to each other.
import { Conversation, defineAgent } from '@varve/agent';
import { derivedAgent, type SubAgent } from '@varve/agent/delegation';
import { agentStep, inLoop, inSequence, runComposition, withHandoffs } from '@varve/compat';
import { scriptedModel, type ScriptedTurn } from '@varve/llm/testing';
import { memoryStore } from '@varve/storage';
import { finish } from '@varve/tools';

/** A sub-agent with a script for all of its conversations together. */
const agentNamed = (name: string, ...turns: readonly ScriptedTurn[]): SubAgent => {
  const model = scriptedModel(turns);
  return {
    name,
    description: `Is the ${name}.`,
    create: (parent, context) => derivedAgent(parent, { instructions: `You are the ${name}.`, model }, context),
  };
};

const agent = defineAgent({ model: scriptedModel([]), tools: [finish()] });
await using store = memoryStore();
await using conversation = await Conversation.create({ agent, store, workspace: process.cwd() });

// The checker ends the loop with the tool `escalate`: control is data of the call, never text of a result.
const writer = agentNamed('writer', { text: 'A draft.' }, { text: 'A better draft.' });
const ending = { calls: [{ name: 'escalate', arguments: { reason: 'The better draft is good.' } }] };
const checker = agentNamed('checker', { text: 'Too short.' }, ending);
const loop = inLoop(inSequence(agentStep(writer), agentStep(checker)), { maxIterations: 5 });
console.log((await runComposition(conversation, loop, 'Write a page.', { id: 'page' })).text);

// The same id continues a composition that was cut off; this one has ended, so nothing runs.
console.log((await runComposition(conversation, loop, 'Write a page.', { id: 'page' })).isCompleted);

const transfer = { agent_name: 'billing', reason: 'It is about an invoice.' };
const desk = agentNamed('desk', { calls: [{ name: 'transfer_to_agent', arguments: transfer }] });
const billing = agentNamed('billing', { text: 'The invoice was sent twice.' });
const answer = await runComposition(conversation, withHandoffs([desk, billing]), 'Why pay twice?', { id: 'help' });
console.log(answer.name, 'answers:', answer.text);

for (const { taskId } of conversation.delegation.tasks) console.log(taskId);
