import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { methods } from '@agentclientprotocol/sdk';
import { scriptedServer } from '@varve/llm/testing';
import { expect, test } from 'vitest';
import { command, done, hasOutput, newHome, newSession, png, prompt, textIn, withEditor } from './editor.ts';
import { runVarve } from './run-varve.ts';

test('an editor receives text, thoughts, calls with kinds and files, their changes and the answer, and loads them again', async () => {
  const home = await newHome();
  const path = join(home, 'a.js');
  await writeFile(path, 'export const one = 2;\n');
  await using server = await scriptedServer([
    {
      text: 'First a look.',
      reasoning: 'It may be wrong.',
      calls: [{ name: 'file_editor', arguments: { command: 'view', path } }],
    },
    { calls: [{ name: 'file_editor', arguments: { command: 'str_replace', path, old_str: '= 2', new_str: '= 1' } }] },
    done('Repaired.'),
  ]);
  const sessionId = await withEditor(server, { home, args: ['--confirm', 'never'] }, async (editor) => {
    const id = await newSession(editor);
    expect(await prompt(editor, id, 'Repair it.')).toBe('end_turn');
    const { updates } = editor;
    expect(textIn(updates, 'agent_message_chunk')).toBe('First a look.Repaired.');
    expect(textIn(updates, 'agent_thought_chunk')).toBe('It may be wrong.');
    expect(textIn(updates, 'user_message_chunk')).toBe('');
    const calls = updates.filter((update) => update.sessionUpdate === 'tool_call');
    expect(calls.map(({ kind, title, locations }) => [kind, title, locations?.[0]?.path])).toEqual([
      ['read', `✎ view ${path}`, path],
      ['edit', `✎ str_replace ${path}`, path],
    ]);
    expect(updates).toContainEqual(
      expect.objectContaining({
        sessionUpdate: 'tool_call_update',
        toolCallId: calls[1]?.toolCallId,
        status: 'completed',
        content: [{ type: 'diff', path, oldText: 'export const one = 2;\n', newText: 'export const one = 1;\n' }],
      }),
    );
    return id;
  });
  expect(await readFile(path, 'utf8')).toBe('export const one = 1;\n');
  await withEditor(server, { home }, async (editor) => {
    const { agent, cwd, updates } = editor;
    const { sessions } = await agent.request(methods.agent.session.list, { cwd });
    expect(sessions).toMatchObject([{ sessionId, cwd, title: 'Repair it.' }]);
    const part = { sessionId: sessionId.slice(0, 8), cwd, mcpServers: [] };
    await expect(agent.request(methods.agent.session.load, part)).rejects.toMatchObject({ code: -32002 });
    const loaded = await agent.request(methods.agent.session.load, { sessionId, cwd, mcpServers: [] });
    // A person chose another mode for other tasks.
    expect(loaded.modes?.currentModeId).toBe('auto');
    expect(textIn(updates, 'user_message_chunk')).toBe('Repair it.');
    expect(textIn(updates, 'agent_message_chunk')).toBe('First a look.Repaired.');
    expect(updates.filter((update) => update.sessionUpdate === 'tool_call')).toHaveLength(2);
  });
});

test.for([
  ['once', 'end_turn', true],
  ['reject', 'end_turn', false],
  ['none of them', 'cancelled', false],
] as const)('a call that waits is decided in the editor: %s', async ([answer, reason, isRun]) => {
  const home = await newHome();
  await using server = await scriptedServer([command('echo made > made.txt'), done('Done.')]);
  await withEditor(server, { home, args: ['--confirm', 'ask'], answer }, async (editor) => {
    expect(await prompt(editor, await newSession(editor), 'Go.')).toBe(reason);
    const [question] = editor.asked;
    expect(question?.toolCall).toMatchObject({ title: '$ echo made > made.txt', kind: 'execute' });
    expect(JSON.stringify(question?.toolCall.content)).toContain('echo made > made.txt');
    expect(question?.options.map(({ kind }) => kind)).toEqual(['allow_once', 'allow_always', 'reject_once']);
  });
  expect(await readFile(join(home, 'made.txt'), 'utf8').catch(() => 'none')).toBe(isRun ? 'made\n' : 'none');
});

test('output is visible while a command runs, and a cancelled prompt stops it', async () => {
  const home = await newHome();
  await using server = await scriptedServer([command('echo started; sleep 600')]);
  await withEditor(server, { home, args: ['--confirm', 'never'] }, async (editor) => {
    const sessionId = await newSession(editor);
    const ended = prompt(editor, sessionId, 'Wait.');
    await editor.seen(hasOutput('started'));
    await editor.agent.notify(methods.agent.session.cancel, { sessionId });
    expect(await ended).toBe('cancelled');
  });
});

test('a command that fails is failed in the editor, with its output and status', async () => {
  const home = await newHome();
  await using server = await scriptedServer([command('echo before; (exit 42)'), done('Done.')]);
  await withEditor(server, { home, args: ['--confirm', 'never'] }, async (editor) => {
    await prompt(editor, await newSession(editor), 'Go.');
    const failed = editor.updates.find((update) => 'status' in update && update.status === 'failed');
    const texts = ['before', 'exit status 42'].map((text) => ({ type: 'content', content: { type: 'text', text } }));
    expect(failed).toMatchObject({ content: texts, rawOutput: { exit_code: 42 } });
  });
});

test('a mode changes what is asked about from the next prompt on', async () => {
  const home = await newHome();
  await using server = await scriptedServer([
    command('echo 1 > one.txt'),
    done('One.'),
    command('echo 2 > two.txt'),
    done('Two.'),
  ]);
  await withEditor(server, { home, args: ['--confirm', 'never'] }, async (editor) => {
    const { agent, cwd, asked } = editor;
    const created = await agent.request(methods.agent.session.new, { cwd, mcpServers: [] });
    expect(created.modes?.currentModeId).toBe('never');
    expect(created.modes?.availableModes.map(({ id }) => id)).toEqual(['plan', 'ask', 'edits', 'auto', 'never']);
    await prompt(editor, created.sessionId, 'One.');
    expect(asked).toEqual([]);
    await agent.request(methods.agent.session.setMode, { sessionId: created.sessionId, modeId: 'ask' });
    await prompt(editor, created.sessionId, 'Two.');
    expect(asked).toHaveLength(1);
  });
});

test('the model receives files, links and images of a prompt, and images are offered to one that sees them', async () => {
  const home = await newHome();
  await using server = await scriptedServer([done('Seen.')]);
  await withEditor(server, { home, args: ['--model', 'openai/gpt-5'], env: { LLM_API_KEY: 'k' } }, async (editor) => {
    expect(editor.described.agentCapabilities?.promptCapabilities?.image).toBe(true);
    await editor.agent.request(methods.agent.session.prompt, {
      sessionId: await newSession(editor),
      prompt: [
        { type: 'resource', resource: { uri: 'file:///x/a.js', text: 'needle-of-the-file' } },
        { type: 'resource', resource: { uri: 'file:///x/b.md', blob: btoa('needle-of-the-blob') } },
        { type: 'resource', resource: { uri: 'clip://1', mimeType: 'image/png', blob: png } },
        { type: 'resource_link', name: 'c.js', uri: 'file:///x/c.js' },
        { type: 'image', mimeType: 'image/png', data: png },
      ],
    });
  });
  const [request] = server.requests;
  for (const part of ['needle-of-the-file', 'needle-of-the-blob', 'clip://1', 'file:///x/c.js'])
    expect(request?.text).toContain(part);
  expect(request?.text.split(`data:image/png;base64,${png}`)).toHaveLength(3);
});

test('a failure of the model is an error of the prompt with what to do next, and the session continues', async () => {
  const home = await newHome();
  await using server = await scriptedServer([{ fault: { kind: 'answer', status: 401, body: '{}' } }, done('Now.')]);
  await withEditor(server, { home }, async (editor) => {
    const id = await newSession(editor);
    await expect(prompt(editor, id, 'Go.')).rejects.toMatchObject({
      code: -32000,
      message: expect.stringContaining('varve init'),
    });
    expect(await prompt(editor, id, 'Again.')).toBe('end_turn');
  });
});

test('the agent uses the servers of tools of the editor, and those of the settings', async () => {
  const home = await newHome();
  const script = fileURLToPath(new URL('../../../packages/tools/test/support/mcp-server.ts', import.meta.url));
  const args = ['--conditions=@varve/source', script];
  await using server = await scriptedServer([
    { calls: [{ name: 'mcp__docs__getenv', arguments: { text: 'FROM_EDITOR' } }] },
    done('Done.'),
  ]);
  await runVarve(['mcp', 'add', 'own', process.execPath, ...args], { home });
  await runVarve(['secret', 'set', 'FROM_EDITOR'], { home, stdin: 'stored-secret-0123' });
  await withEditor(server, { home, args: ['--confirm', 'never'] }, async (editor) => {
    const env = [{ name: 'FROM_EDITOR', value: '${FROM_EDITOR} is literal' }];
    const id = await newSession(editor, [{ name: 'docs', command: process.execPath, args, env }]);
    expect(await prompt(editor, id, 'Go.')).toBe('end_turn');
  });
  expect(server.requests[0]?.text).toContain('mcp__own__echo');
  expect(server.requests[1]?.text).toContain('${FROM_EDITOR} is literal');
});

test('an approval for the session covers the same call of a later prompt', async () => {
  const home = await newHome();
  await using server = await scriptedServer([command('echo 1'), done('One.'), command('echo 1'), done('Two.')]);
  await withEditor(server, { home, args: ['--confirm', 'ask'], answer: 'session' }, async (editor) => {
    const id = await newSession(editor);
    await prompt(editor, id, 'One.');
    await prompt(editor, id, 'Two.');
    expect(editor.asked).toHaveLength(1);
  });
});

test('a secret is masked in output that is still running', async () => {
  const home = await newHome();
  const key = 'sk-very-secret-0123456789';
  await using server = await scriptedServer([command('echo sk-very-"secret"-0123456789 all-of-it; sleep 600')]);
  await withEditor(server, { home, args: ['--confirm', 'never'], env: { LLM_API_KEY: key } }, async (editor) => {
    const sessionId = await newSession(editor);
    const ended = prompt(editor, sessionId, 'Wait.');
    await editor.seen(hasOutput('all-of-it'));
    await editor.agent.notify(methods.agent.session.cancel, { sessionId });
    await ended;
    expect(JSON.stringify(editor.updates)).not.toContain(key);
  });
});

test('a call of a tool that does not exist fails in the editor, and the plan of the agent is shown', async () => {
  const home = await newHome();
  const task_list = [{ title: 'Look', status: 'in_progress' }];
  await using server = await scriptedServer([
    { calls: [{ name: 'no_such_tool', arguments: {} }] },
    { calls: [{ name: 'task_tracker', arguments: { command: 'plan', task_list } }] },
    done('Done.'),
  ]);
  await withEditor(server, { home }, async (editor) => {
    await prompt(editor, await newSession(editor), 'Go.');
    const call = editor.updates.find((update) => update.sessionUpdate === 'tool_call');
    const failed = editor.updates.filter((update) => 'status' in update && update.status === 'failed');
    expect(failed).toMatchObject([{ toolCallId: call?.toolCallId }]);
    const plan = [{ content: 'Look', priority: 'medium', status: 'in_progress' }];
    expect(editor.updates).toContainEqual({ sessionUpdate: 'plan', entries: plan });
  });
});
