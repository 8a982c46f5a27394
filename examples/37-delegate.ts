// Gives parts of a task to sub-agents: they run concurrently in logs of their own, and one of them is resumed.
import { Conversation, defineAgent } from '@varve/agent';
import { delegationTools, derivedAgent, tasksProjection, type SubAgent } from '@varve/agent/delegation';
import { textOf } from '@varve/events';
import { foldEvents } from '@varve/events/projections';
import { scriptedModel, type ScriptedTurn } from '@varve/llm/testing';
import { memoryStore } from '@varve/storage';
import { finish } from '@varve/tools';

const answers: Readonly<Record<string, readonly ScriptedTurn[]>> = {
  parser: [{ text: 'The parser has 2 callers.' }, { text: 'They are main.ts and repl.ts.' }],
  printer: [{ text: 'The printer has none.' }],
};
const models = Object.entries(answers).map(([topic, turns]) => ({ topic, model: scriptedModel(turns) }));

/** A kind of sub-agent; `builtinSubAgents` has others, and files in `.varve/agents` define more. */
const reader: SubAgent = {
  name: 'reader',
  description: 'Reads code and reports.',
  limits: { maxIterations: 20, maxMs: 600_000 },
  create: (parent, context) => {
    const generate: typeof parent.model.generate = (request, options) => {
      const task = request.messages.map(({ content }) => textOf(content)).join('\n');
      const model = models.find(({ topic }) => task.includes(`Who calls the ${topic}?`))?.model ?? parent.model;
      return model.generate(request, options);
    };
    return derivedAgent(parent, { instructions: 'Read only.', model: { ...parent.model, generate } }, context);
  },
};

const tasks = { first: 'Who calls the parser?', second: 'Who calls the printer?' };
const model = scriptedModel([
  { calls: [{ name: 'delegate', arguments: { command: 'spawn', ids: ['first', 'second'] } }] },
  { calls: [{ name: 'delegate', arguments: { command: 'delegate', tasks } }] },
  { calls: [{ name: 'task', arguments: { resume: 'first', prompt: 'Which are they?' } }] },
  { text: 'Remove the printer.' },
]);
const agent = defineAgent({ model, subAgents: [reader], tools: (context) => [...delegationTools(context), finish()] });

await using store = memoryStore();
await using conversation = await Conversation.create({ agent, store, workspace: process.cwd() });
await conversation.send('What can be removed?');
const { text, usage } = await conversation.run();
console.log(text, usage.calls, 'replies in total');
for (const { role, content } of conversation.request().messages) {
  if (role === 'tool') console.log(textOf(content));
}

// The log names the conversation of each task before it starts; each has a log of its own.
const events = await Array.fromAsync(conversation.events(), ({ event }) => event);
for (const { taskId, subAgent, conversationId } of foldEvents(tasksProjection, events)) {
  console.log(taskId, subAgent, (await store.summary(conversationId)).head > 0);
}
