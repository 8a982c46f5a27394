// Judges calls by the shell commands in them, and lets a person allow or refuse what is dangerous.
import { Conversation, confirmRisky, defineAgent } from '@varve/agent';
import { ensembleRisk, modelRisk, shellRisk } from '@varve/agent/risk';
import { scriptedModel } from '@varve/llm/testing';
import { memoryStore } from '@varve/storage';
import { finish, terminal } from '@varve/tools';

const run = (command: string) => ({ calls: [{ name: 'terminal', arguments: { security_risk: 'LOW', command } }] });

const agent = defineAgent({
  model: scriptedModel([
    run('echo tidy'),
    run(`sudo sh -c 'cd / && rm -rf tmp'`),
    { calls: [{ name: 'finish', arguments: { message: 'I left it as it is.' } }] },
  ]),
  tools: () => [terminal(), finish()],
  // The model says LOW of both; the parsed command says otherwise of the second.
  confirmation: confirmRisky({ analyzer: ensembleRisk([modelRisk(), shellRisk()]) }),
});

await using store = memoryStore();
await using conversation = await Conversation.create({ agent, store, workspace: process.cwd() });
await conversation.send('Tidy up.');
const waiting = await conversation.run();
console.log(waiting.reason, 'after', waiting.iterations, 'steps');
for (const { event } of conversation.state.pending) console.log('waits:', event.tool_call.arguments);

await conversation.reject('Not as root.');
const end = await conversation.run();
console.log(end.reason === 'finished' ? end.text : end.reason);
