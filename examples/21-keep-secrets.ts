// Registers secrets with a conversation: no event, no model request and no tool result contains them.
import { Conversation, defineAgent } from '@varve/agent';
import { textOf } from '@varve/events';
import { presentObservation } from '@varve/events/payloads';
import { openaiChat } from '@varve/llm';
import { scriptedServer } from '@varve/llm/testing';
import { memoryStore } from '@varve/storage';
import { finish, terminal } from '@varve/tools';

const secret = 'swordfish-7';

await using server = await scriptedServer([
  // Secrets that the model repeats are masked too.
  { text: `I try ${secret}.`, calls: [{ name: 'terminal', arguments: { command: 'printenv DOOR' } }] },
  { calls: [{ name: 'finish', arguments: { message: 'The door is open.' } }] },
]);

const agent = defineAgent({
  model: openaiChat({ model: 'scripted', baseUrl: server.url }),
  // The command of the tool receives the secret; the agent does not.
  tools: () => [terminal({ env: { PATH: process.env['PATH'] ?? '', DOOR: secret } }), finish()],
});

await using store = memoryStore();
const options = { agent, store, workspace: process.cwd(), secrets: [secret] };
await using conversation = await Conversation.create(options);
await conversation.send(`Open the door. The word is ${secret}.`);
const end = await conversation.run();
console.log(end.text);

for (const { role, content } of conversation.request().messages.slice(1)) {
  console.log(`${role}: ${textOf(content).split('\n')[0]}`);
}
const log = await Array.fromAsync(conversation.events(), ({ text }) => text);
console.log('in the log:', log.join().includes(secret));
console.log(
  'sent to the model:',
  server.requests.some(({ text }) => text.includes(secret)),
);

// Results of directly executed tools are masked too.
const observation = await conversation.executeTool({ name: 'terminal', arguments: { command: 'echo "$DOOR"' } });
console.log('returned to you:', textOf(presentObservation(observation)).split('\n')[0]);
