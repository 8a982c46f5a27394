// Reads the state of a conversation at any event (status, plan, cost) from the log, without its lease.
import { Conversation, defineAgent, readState } from '@varve/agent';
import { scriptedModel } from '@varve/llm/testing';
import { memoryStore } from '@varve/storage';
import { finish, taskTracker } from '@varve/tools';

const plan = (...tasks: readonly (readonly [string, 'todo' | 'done'])[]) => ({
  name: 'task_tracker',
  arguments: { command: 'plan', task_list: tasks.map(([title, status]) => ({ title, status })) },
});

const agent = defineAgent({
  model: scriptedModel([
    { calls: [plan(['dig', 'todo'], ['plant', 'todo'])], costUsd: 0.01 },
    { calls: [plan(['dig', 'done'], ['plant', 'todo'])], costUsd: 0.01 },
    { calls: [plan(['dig', 'done'], ['plant', 'done'])], costUsd: 0.01 },
    { text: 'There is a tree now.', costUsd: 0.01 },
  ]),
  tools: () => [taskTracker(), finish()],
});

await using store = memoryStore();
await using conversation = await Conversation.create({ agent, store, workspace: process.cwd() });
await conversation.send('Plant a tree.');
await conversation.run();

/** One line for each moment that looks different from the one before. */
let before = '';
for (let head = 0; head <= conversation.state.head; head++) {
  const { status, pending, taskList, stats } = await conversation.stateAt(head);
  const tasks = taskList.map(({ title, status: state }) => `${title} ${state === 'done' ? '✓' : '…'}`).join(', ');
  const line = `${status} · $${(stats.total.cost_usd ?? 0).toFixed(2)} · open calls ${pending.length} · ${tasks || 'no plan'}`;
  if (line !== before) console.log(`after ${String(head).padStart(2)} events:`, line);
  before = line;
}

// Reading changes nothing. Another process may read while the conversation is open here.
const { head, status } = await readState(await store.read(conversation.id), { to: 4 });
console.log('another reader, after', head, 'events:', status, '· now:', conversation.state.status);
