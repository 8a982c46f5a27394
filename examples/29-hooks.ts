// Lets commands decide about calls and about the end of the work: a hook blocks, and the model reads the reason.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Conversation, defineAgent } from '@varve/agent';
import { parseHooks } from '@varve/agent/confirmation';
import { HookExecutionEvent } from '@varve/events/kinds';
import { scriptedModel } from '@varve/llm/testing';
import { memoryStore } from '@varve/storage';
import { finish, terminal } from '@varve/tools';

const run = (command: string) => ({ calls: [{ name: 'terminal', arguments: { command } }] });

const agent = defineAgent({
  model: scriptedModel([
    run('git push'),
    { text: 'I am done.' },
    run('echo tested > tested.txt'),
    { calls: [{ name: 'finish', arguments: { message: 'Tested, and not pushed.' } }] },
  ]),
  tools: () => [terminal(), finish()],
  // An application takes them from `loadHooks`, with a function that knows the files that a person trusts.
  hooks: parseHooks({
    PreToolUse: [
      {
        matcher: 'terminal',
        hooks: [{ command: 'if grep -q "git push"; then echo Pushing is for people. >&2; exit 2; fi' }],
      },
    ],
    Stop: [{ hooks: [{ name: 'tests', command: 'test -e tested.txt || { echo Test it first. >&2; exit 2; }' }] }],
  }),
});

const workspace = await mkdtemp(join(tmpdir(), 'hooks-'));
await using store = memoryStore();
await using conversation = await Conversation.create({ agent, store, workspace });
await conversation.send('Publish the change.');
const { reason, text } = await conversation.run();
console.log(reason, '-', text);

for await (const { event } of conversation.events()) {
  if (!HookExecutionEvent.is(event)) continue;
  console.log(event.hook_event_type, 'exit', event.exit_code, event.blocked ? `blocked: ${event.reason}` : '');
}
await rm(workspace, { recursive: true });
