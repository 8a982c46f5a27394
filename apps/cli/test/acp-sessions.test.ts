import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { methods, type PromptRequest } from '@agentclientprotocol/sdk';
import { scriptedServer } from '@varve/llm/testing';
import { expect, test } from 'vitest';
import { command, done, hasOutput, newHome, newSession, png, prompt, textIn, withEditor } from './editor.ts';
import { runVarve } from './run-varve.ts';

const fileServer = { name: 'x', type: 'http', url: 'file:///etc/passwd', headers: [] };

test('a prompt whose request is cancelled ends as one that is cancelled', async () => {
  const home = await newHome();
  await using server = await scriptedServer([command('echo started; sleep 600')]);
  await withEditor(server, { home, args: ['--confirm', 'never'] }, async (editor) => {
    const sessionId = await newSession(editor);
    const cancelling = new AbortController();
    const params: PromptRequest = { sessionId, prompt: [{ type: 'text', text: 'Wait.' }] };
    const options = { cancellationSignal: cancelling.signal };
    const ended = editor.agent.request(methods.agent.session.prompt, params, options);
    await editor.seen(hasOutput('started'));
    cancelling.abort();
    expect(await ended).toEqual({ stopReason: 'cancelled' });
  });
});

test('a session that is loaded while it works sends its events again, and continues', async () => {
  const home = await newHome();
  const go = join(home, 'go');
  await using server = await scriptedServer([
    command(`echo started; until [ -e '${go}' ]; do sleep 0.02; done`),
    done('Done.'),
  ]);
  await withEditor(server, { home, args: ['--confirm', 'never'] }, async (editor) => {
    const { agent, cwd, updates } = editor;
    const sessionId = await newSession(editor);
    const ended = prompt(editor, sessionId, 'Wait.');
    await editor.seen(hasOutput('started'));
    await agent.request(methods.agent.session.load, { sessionId, cwd, mcpServers: [] });
    expect(textIn(updates, 'user_message_chunk')).toBe('Wait.');
    await writeFile(go, '');
    expect(await ended).toBe('end_turn');
    expect(textIn(updates, 'agent_message_chunk')).toBe('Done.');
  });
});

test('a model and a mode are chosen among options', async () => {
  const home = await newHome();
  await using server = await scriptedServer([done('Two.'), done('Three.')]);
  await runVarve(['profile', 'save', 'other', 'model=another-model', `base_url=${server.url}`], { home });
  const names = ['from scripted to another-model', 'from another-model to scripted'];
  const prints = names.map((change) => `The model changes ${change}.\n`).join('');
  await withEditor(server, { home, prints }, async (editor) => {
    const { agent, cwd, updates } = editor;
    const { new: create, setConfigOption } = methods.agent.session;
    const { sessionId, configOptions } = await agent.request(create, { cwd, mcpServers: [] });
    const model = { id: 'model', currentValue: 'scripted', options: [{ value: 'scripted' }, { value: 'other' }] };
    expect(configOptions).toMatchObject([{ id: 'mode', currentValue: 'auto' }, model]);
    const set = async (configId: string, value: string) =>
      agent.request(setConfigOption, { sessionId, configId, value });
    const refused = { sessionId, prompt: [{ type: 'image', mimeType: 'image/png', data: png }] } as const;
    await expect(agent.request(methods.agent.session.prompt, refused as never)).rejects.toMatchObject({ code: -32602 });
    expect(await set('model', 'other')).toMatchObject({ configOptions: [{}, { currentValue: 'other' }] });
    await prompt(editor, sessionId, 'Two.');
    await set('model', 'scripted');
    await prompt(editor, sessionId, 'Three.');
    await set('mode', 'ask');
    expect(updates).toContainEqual({ sessionUpdate: 'current_mode_update', currentModeId: 'ask' });
    for (const [option, value] of [
      ['model', 'none-of-them'],
      ['mode', 'none-of-them'],
      ['colour', 'red'],
    ] as const)
      await expect(set(option, value)).rejects.toMatchObject({ code: -32602 });
  });
  const models = server.requests.map(({ text }) => /"model":"([^"]+)"/.exec(text)?.[1]);
  expect(models).toEqual(['another-model', 'scripted']);
});

test('an editor receives commands and titles, and resumes and deletes conversations', async () => {
  const home = await newHome();
  await mkdir(join(home, '.varve/commands'), { recursive: true });
  await writeFile(join(home, '.varve/commands/greet.md'), '---\ndescription: Greets.\n---\nGreet $1 warmly.');
  await using server = await scriptedServer([done('Hello.'), { text: 'Ada was greeted.' }, done('Again.')]);
  await withEditor(server, { home }, async (editor) => {
    const { agent, cwd, updates } = editor;
    const { list, resume, close, delete: remove } = methods.agent.session;
    const sessionId = await newSession(editor);
    await editor.seen((update) => update.sessionUpdate === 'available_commands_update');
    expect(updates).toMatchObject([{ availableCommands: [{ name: 'condense' }, { name: 'greet' }] }]);
    expect(await prompt(editor, sessionId, '/greet Ada')).toBe('end_turn');
    const info = { sessionUpdate: 'session_info_update', title: 'Greet Ada warmly.' };
    expect(updates.at(-1)).toMatchObject(info);
    expect(await prompt(editor, sessionId, '/condense')).toBe('end_turn');
    expect(textIn(updates, 'agent_message_chunk')).toBe('Hello.The conversation is condensed.');
    await agent.request(close, { sessionId });
    const seen = updates.length;
    await agent.request(resume, { sessionId, cwd });
    expect(textIn(updates.slice(seen), 'user_message_chunk')).toBe('');
    expect(await prompt(editor, sessionId, 'Again.')).toBe('end_turn');
    await agent.request(remove, { sessionId });
    expect(await agent.request(list, { cwd })).toEqual({ sessions: [] });
    await expect(prompt(editor, sessionId, 'Go.')).rejects.toMatchObject({ code: -32002 });
    await agent.request(remove, { sessionId: await newSession(editor) });
  });
  expect(server.requests[0]?.text).toContain('Greet Ada warmly.');
  expect(server.requests).toHaveLength(3);
});

test('what cannot be answered is refused with a code of the protocol', async () => {
  const { new: create, prompt: ask, load, setMode } = methods.agent.session;
  const unknown = 'f'.repeat(32);
  const refusals = [
    ['a relative directory', create, { cwd: 'here' }, -32602],
    ['a missing directory', create, { cwd: '/nowhere/here' }, -32602],
    ['an unknown session', ask, { sessionId: unknown, prompt: [] }, -32002],
    ['an unknown conversation', load, { sessionId: unknown }, -32002],
    ['a text that is not an id', load, { sessionId: '' }, -32602],
    ['an unknown mode', setMode, { modeId: 'nonsense' }, -32602],
    ['a server whose address is not of the web', create, { mcpServers: [fileServer] }, -32602],
    [
      'an image for a model that sees none',
      ask,
      { prompt: [{ type: 'image', mimeType: 'image/png', data: png }] },
      -32602,
    ],
  ] as const;
  await using server = await scriptedServer([]);
  await withEditor(server, { home: await newHome() }, async (editor) => {
    const { agent, cwd, described } = editor;
    expect(described.agentCapabilities?.promptCapabilities?.image).toBe(false);
    const sessionId = await newSession(editor);
    for (const [what, method, params, code] of refusals) {
      const all = { cwd, mcpServers: [], sessionId, ...params };
      const refused = await agent.request(method, all).catch((error: unknown) => error);
      expect([what, refused]).toEqual([what, expect.objectContaining({ code })]);
    }
  });
});
