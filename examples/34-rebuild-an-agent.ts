// Opens a conversation without its agent: model, tools and policy are rebuilt from the spec in the log.
import { Conversation, defineAgent } from '@varve/agent';
import { agentFromSpec, agentRegistries, toolset } from '@varve/agent/specs';
import { openaiChat, retry } from '@varve/llm';
import { scriptedServer } from '@varve/llm/testing';
import { memoryStore } from '@varve/storage';

await using server = await scriptedServer([
  { calls: [{ name: 'think', arguments: { thought: 'Blue fits.' } }] },
  { calls: [{ name: 'finish', arguments: { message: 'The boat is blue.' } }] },
]);
await using store = memoryStore();
const id = '5'.repeat(32);
// Specs contain no keys: this function decides which server gets one.
const credentials = ({ baseUrl }: { readonly baseUrl: string }) =>
  baseUrl === server.url ? { apiKey: 'sk-example' } : undefined;
const registries = agentRegistries({ models: { credentials } });
{
  const agent = defineAgent({
    model: retry({ attempts: 2 })(openaiChat({ model: 'm', baseUrl: server.url, apiKey: 'sk-example' })),
    tools: toolset(['think', 'finish'], registries.tools),
  });
  await using conversation = await Conversation.create({ agent, store, workspace: process.cwd(), id });
  await conversation.send('Paint the boat.');
  console.log((await conversation.run({ maxIterations: 1 })).reason);
}

// Another process has no agent, only the store.
await using conversation = await Conversation.open({ store, id, registries });
const result = await conversation.run();
console.log(result.reason, '·', result.reason === 'finished' && result.text);

// What cannot be rebuilt is named.
const stored = { llm: { model: 'bedrock/titan' }, tools: [{ name: 'browser_tool_set' }], kind: 'Agent' };
for (const { path, reason } of agentFromSpec(stored, { registries }).missing) console.log(`${path}: ${reason}`);
