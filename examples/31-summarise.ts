// Summarises the earlier part of a long conversation with a model, and condenses with a focus; its usage counts too.
import { Conversation, defineAgent } from '@varve/agent';
import { condenserFromSpec, llmSummary } from '@varve/condensers';
import { textOf } from '@varve/events';
import { scriptedModel, type ScriptedTurn } from '@varve/llm/testing';
import { memoryStore } from '@varve/storage';
import { finish, think } from '@varve/tools';

const thought = (text: string): ScriptedTurn => ({ calls: [{ name: 'think', arguments: { thought: text } }] });
const usage = { input_tokens: 900, output_tokens: 60 };

// One model for the work, and a cheaper one for the summaries. Both are scripted here.
const summaries = scriptedModel([
  { text: '## Goals\nBake rye bread.\n## Facts\nThe oven is at 240 degrees.\n## Next step\nKnead.', usage },
  { text: '## Goals\nBake rye bread.\n## Facts\nOven: 240 degrees, dough: 800 g.\n## Next step\nBake.', usage },
]);
const model = scriptedModel([
  ...['The oven is at 240 degrees.', 'Flour is here.', 'Water too.', 'The dough has 800 g.', 'Knead.'].map(thought),
  { text: 'It rises.' },
]);
const condenser = llmSummary({ maxEvents: 10, model: summaries });
const agent = defineAgent({ model, tools: [think(), finish()], condenser });

await using store = memoryStore();
await using conversation = await Conversation.create({ agent, store, workspace: process.cwd() });
await conversation.send('Bake rye bread.');
await conversation.run();
console.log('condensed on demand:', await conversation.condense({ focus: 'weights and temperatures' }));

for await (const { event } of conversation.events()) {
  if (event.kind === 'Condensation' && 'summary' in event) console.log(`---\n${String(event.summary)}`);
}
console.log('---');
const asked = summaries.requests.map(({ messages }) => textOf(messages[0]?.content ?? []));
console.log('the second request contains the first summary:', asked[1]?.includes('The oven is at 240 degrees.'));
console.log('and the focus:', asked[1]?.includes('weights and temperatures'));
const { byUsageId } = conversation.state.stats;
console.log('calls:', byUsageId['agent']?.calls, 'by the agent,', byUsageId['condenser']?.calls, 'by the condenser');

// A condenser is data: the name of a kind and its options.
console.log(condenserFromSpec({ kind: 'llm-summary', windowShare: 0.7 }).spec);
