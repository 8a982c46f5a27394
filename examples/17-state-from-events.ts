// Pauses a conversation, resumes it after a restart, and computes the state at every event from the events alone.
import { defineAgent } from '@varve/agent';
import { Conversation, ConversationState } from '@varve/compat';
import { scriptedModel, type ScriptedStep } from '@varve/llm/testing';
import { memoryStore } from '@varve/storage';
import { finish, taskTracker } from '@varve/tools';

const plan = (status: 'todo' | 'done') => ({
  calls: [{ name: 'task_tracker', arguments: { command: 'plan', task_list: [{ title: 'Water the plants', status }] } }],
  costUsd: 0.01,
});
const agentOf = (steps: readonly ScriptedStep[]) =>
  defineAgent({ model: scriptedModel(steps), tools: () => [taskTracker(), finish()] });

await using store = memoryStore();
const first = await Conversation.create({ agent: agentOf([]), store, workspace: process.cwd() });
await first.sendMessage('Water the plants.');
const running = first.run({ maxIterations: 50 });
first.pause();
await running;
console.log('paused:', first.state.agentExecutionStatus, '· replies:', first.state.iteration);
await first[Symbol.asyncDispose]();

const steps = [plan('todo'), plan('done'), { text: 'They are watered.', costUsd: 0.01 }];
await using second = await Conversation.load({ agent: agentOf(steps), store, id: first.id });
await second.resume();
console.log('resumed:', second.state.agentExecutionStatus, '· replies:', second.state.iteration);
console.log('cost:', second.state.metrics.totalCost.toFixed(2), '· last event:', second.state.events.at(-1)?.kind);

// The first n events produce the state at that time.
const replayed = new ConversationState({ id: first.id });
let previous = '';
for (const event of second.state.events) {
  await replayed.appendEvent(event);
  const tasks = replayed.taskList.map(({ description, done }) => `${done ? '☑' : '☐'} ${description}`).join(', ');
  const line = `${replayed.agentExecutionStatus} ${tasks}`.trim();
  if (line !== previous) console.log(`after ${replayed.events.length} events:`, line);
  previous = line;
}
