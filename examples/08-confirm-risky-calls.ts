// Rates calls by their shell commands, and lets a person approve or reject dangerous ones.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Conversation, confirmRisky, defineAgent, type RunResult } from '@varve/agent';
import { ensembleRisk, modelRisk, shellRisk } from '@varve/agent/confirmation';
import { scriptedModel } from '@varve/llm/testing';
import { memoryStore } from '@varve/storage';
import { finish, terminal } from '@varve/tools';

const run = (command: string, security_risk = 'LOW') => ({
  calls: [{ name: 'terminal', arguments: { security_risk, command } }],
});

const agent = defineAgent({
  model: scriptedModel([
    run('echo tidy'),
    run(`sudo sh -c 'cd / && rm -rf tmp'`),
    run(`echo 'rm -rf tmp' > notes.txt; rm notes.txt`, 'HIGH'),
    { calls: [{ name: 'finish', arguments: { message: 'It is tidy, as far as I may.' } }] },
  ]),
  tools: () => [terminal(), finish()],
  // The model rates the first two LOW; the parser rates the second higher. The higher rating counts.
  confirmation: confirmRisky({ analyzer: ensembleRisk([modelRisk(), shellRisk()]) }),
});

const workspace = await mkdtemp(join(tmpdir(), 'tidy-'));
await using store = memoryStore();
await using conversation = await Conversation.create({ agent, store, workspace });
await conversation.send('Tidy up.');

const show = ({ reason, iterations }: RunResult): void => {
  console.log(reason, 'after', iterations, 'steps');
  for (const { event } of conversation.state.pending) console.log('waiting:', event.tool_call.arguments);
};
show(await conversation.run());
await conversation.reject('Not as root.');
show(await conversation.run());
// The approval covers exactly the bytes that were shown.
await conversation.approve({ by: 'ada' });
const end = await conversation.run();
console.log(end.text);
await rm(workspace, { recursive: true });
