import { existsSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import type { ScriptedTurn } from '@varve/llm/testing';
import { create } from 'tar';
import { expect, onTestFinished, test } from 'vitest';
import type { ConversationInfo } from '../info/conversation-info.ts';
import { agentWith, personServer, type PersonServer } from '../../../test/support/person-server.ts';
import { message, requestFor } from '../../../test/support/running-server.ts';

const finish = (text = 'Done.'): ScriptedTurn => ({ calls: [{ name: 'finish', arguments: { message: text } }] });
const task = (prompt: string, type: string): ScriptedTurn => ({
  calls: [{ name: 'task', arguments: { prompt, subagent_type: type, description: 'Look.' } }],
});
const mcpServer = fileURLToPath(new URL('../../../../tools/test/support/mcp-server.ts', import.meta.url));

const infoOf = (at: PersonServer, id: string) => at.json<ConversationInfo>(200, 'GET', `/${id}`);

test('a sub-agent of the client works on a task in a conversation of its own, again after a restart', async () => {
  const at = await personServer([task('Look.', 'reviewer'), finish('All is well.'), finish(), finish('Again.')]);
  const reviewer = {
    name: 'reviewer',
    description: 'Reviews.',
    system_prompt: 'You look for mistakes.',
    tools: ['terminal'],
    mcp_config: { evil: { command: 'id', env: { TOKEN: 'token-0123456789' } } },
  };
  const agent = agentWith(at, { tools: [{ name: 'task_tool_set', params: {} }, { name: 'terminal' }] });
  const id = await at.run({ ...agent, agent_definitions: [reviewer] });
  expect(at.requests[0]).toContain('- reviewer: Reviews.');
  expect(at.requests[1]).toContain('You look for mistakes.');
  expect(at.requests[2]).toContain('All is well.');
  const { sub_conversation_ids: children } = await infoOf(at, id);
  expect(children).toHaveLength(1);
  expect(await infoOf(at, children[0] ?? '')).toMatchObject({ execution_status: 'finished' });
  expect(JSON.stringify(await at.events(id))).not.toContain('token-0123456789');
  await at.send('POST', '/prepare-for-sandbox-pause');
  await at.json(200, 'POST', `/${id}/events`, message('Again.', true));
  await at.status(id, ['finished'], 2);
  expect(at.requests[3]).toContain('- reviewer: Reviews.');
  const fork = await at.json<ConversationInfo>(201, 'POST', `/${id}/fork`);
  expect(fork.sub_conversation_ids).toEqual([]);
});

test.for([
  { name: 'two words', system_prompt: 'x' },
  { name: 'x' },
  { name: 'x', system_prompt: 'y', tools: 7 },
  { system_prompt: 'x' },
])('the sub-agent %j is refused', async (definition) => {
  const at = await personServer([]);
  const body = { ...requestFor(at.model, at.workspace), agent_definitions: [definition] };
  const { detail } = await at.json(422, 'POST', '', body);
  expect(detail).toContain('agent_definitions');
});

test('a conversation that names a parent is one of its children', async () => {
  const at = await personServer([]);
  const parent = await at.create();
  const child = await at.create({ parent_conversation_id: parent.id });
  expect(child.parent_conversation_id).toBe(parent.id);
  expect((await infoOf(at, parent.id)).sub_conversation_ids).toEqual([child.id]);
});

test('a profile without a model uses that of the settings; its servers, sub-agents and disabled skills are used', async () => {
  const at = await personServer([finish()]);
  const docs = { command: process.execPath, args: [mcpServer], env: { MORE: 'value-of-the-person' } };
  at.write('userHome', '.varve/config.json', {
    llm: { model: 'openai/scripted', base_url: at.model.url, api_key_ref: 'env:A_KEY' },
    mcp_servers: { other: { command: process.execPath, args: [mcpServer] } },
  });
  for (const name of ['one', 'two'])
    at.write(
      'workspace',
      `.agents/skills/${name}/SKILL.md`,
      `---\nname: ${name}\ndescription: Skill ${name}.\n---\nText.`,
    );
  // The value of a variable is stored as a secret, to which the settings refer.
  await at.call('POST', '/api/settings/mcp/docs', docs);
  const id = '00000000-0000-0000-0000-00000000000a';
  const chosen = { mcp_server_refs: ['docs'], disabled_skills: ['two'], enable_sub_agents: true };
  at.write('userHome', '.varve/agent-profiles/mine.json', { id, name: 'mine', agent_kind: 'openhands', ...chosen });
  await at.run({ agent: null, agent_profile_id: id });
  const [request = ''] = at.requests;
  const present = ['mcp__docs__echo', 'mcp__other__echo', '"name":"task"', 'Skill one', 'Skill two'].map((text) =>
    request.includes(text),
  );
  expect(present).toEqual([true, false, true, true, false]);
});

test('a profile with a wrong field is refused with its name', async () => {
  const at = await personServer([]);
  const agent_profile_id = '00000000-0000-0000-0000-00000000000a';
  at.write('userHome', '.varve/config.json', { llm: { model: 'openai/scripted', base_url: at.model.url } });
  at.write('userHome', '.varve/agent-profiles/mine.json', {
    id: agent_profile_id,
    name: 'mine',
    condenser: { enabled: 'yes' },
  });
  const body = { ...requestFor(at.model, at.workspace), agent: null, agent_profile_id };
  expect(await at.json(422, 'POST', '', body)).toEqual({ detail: 'The agent profile is invalid: condenser.enabled.' });
});

test('a profile that names missing servers is refused with their names', async () => {
  const at = await personServer([]);
  at.write('userHome', '.varve/config.json', { llm: { model: 'openai/scripted', base_url: at.model.url } });
  at.write('userHome', '.varve/agent-profiles/mine.json', {
    id: '00000000-0000-0000-0000-00000000000a',
    name: 'mine',
    agent_kind: 'openhands',
    mcp_server_refs: ['gone'],
  });
  const body = { ...requestFor(at.model, at.workspace), agent: null };
  const agent_profile_id = '00000000-0000-0000-0000-00000000000a';
  expect(await at.json(422, 'POST', '', { ...body, agent_profile_id })).toMatchObject({
    detail: { dangling_mcp_server_refs: ['gone'] },
  });
});

/** Writes a plugin with a skill and hooks below the home directory of the user. */
function writePlugin(at: PersonServer, name: string): string {
  at.write('userHome', `${name}/.claude-plugin/plugin.json`, { name, version: '1.0.0', description: 'A plugin.' });
  at.write(
    'userHome',
    `${name}/skills/${name}-skill/SKILL.md`,
    `---\nname: ${name}-skill\ndescription: Of ${name}.\ntriggers: [use-${name}]\n---\n!\`touch ran\``,
  );
  const hook = { command: `touch ${join(at.userHome, 'ran.txt')}` };
  at.write('userHome', `${name}/hooks/hooks.json`, { hooks: { SessionStart: [{ hooks: [hook] }] } });
  return join(at.userHome, name);
}

test('plugins of a request and installed ones add their skills, again after a restart, and execute nothing', async () => {
  const at = await personServer([finish(), finish(), finish()]);
  const agent = agentWith(at, { agent_context: { load_user_skills: false } });
  const id = await at.run({ ...agent, plugins: [{ source: writePlugin(at, 'one'), ref: null }] });
  expect(at.requests[0]).toContain('Of one.');
  await at.call('POST', '/api/plugins/install', { source: writePlugin(at, 'two') });
  await at.json(200, 'POST', `/${id}/load_plugin`, { plugin_ref: 'two@market' });
  await at.json(404, 'POST', `/${id}/load_plugin`, { plugin_ref: 'three' });
  await at.json(200, 'POST', `/${id}/events`, message('Please use-two.', true));
  await at.status(id, ['finished'], 2);
  expect(at.requests[1]?.includes('touch ran')).toBe(true);
  // Another conversation has those of the user.
  await at.run(agentWith(at, { agent_context: {} }));
  expect([at.requests[2]?.includes('Of two.'), at.requests[2]?.includes('Of one.')]).toEqual([true, false]);
  expect(existsSync(join(at.userHome, 'ran.txt'))).toBe(false);
  const body = { ...requestFor(at.model, at.workspace), plugins: [{ source: join(at.userHome, 'none') }] };
  await at.json(400, 'POST', '', body);
});

test('passwords in the addresses of plugins and servers of tools are neither stored nor shown', async () => {
  const at = await personServer([finish()]);
  const archive = await buffer(create({ gzip: true, cwd: writePlugin(at, 'one') }, ['.claude-plugin', 'skills']));
  const web = createServer((_request, response) => response.end(archive));
  await new Promise<void>((resolve) => web.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => new Promise<void>((resolve) => web.close(() => resolve())));
  // Each has its own: one that is masked anywhere is masked everywhere.
  const addressWith = (password: string): string =>
    `http://me:${password}@127.0.0.1:${(web.address() as AddressInfo).port}`;
  const env = { DATABASE: 'postgres://me:canary-of-env@host.example/db' };
  const mcp_config = {
    docs: { command: process.execPath, args: [mcpServer, `--url=${addressWith('canary-of-args')}`], env },
  };
  const plugins = [{ source: `${addressWith('canary-of-plugin')}/one.tgz`, ref: null }];
  const id = await at.run({ ...agentWith(at, { agent_context: {}, mcp_config }), plugins });
  expect(at.requests[0]).toContain('Of one.');
  const text = JSON.stringify([await infoOf(at, id), await at.events(id)]);
  expect(text).toContain('/one.tgz');
  expect(text).not.toContain('canary');
});

test('a fork shows the usage of its origin only if the request keeps it', async () => {
  const counted = { ...finish(), usage: { input_tokens: 10 } };
  const at = await personServer([counted, counted]);
  const id = await at.run();
  const tokensOf = async (fork: string) => {
    const metrics = Object.values((await infoOf(at, fork)).stats.usage_to_metrics);
    return metrics.map(({ accumulated_token_usage: usage }) => usage?.prompt_tokens);
  };
  const [firstTokens] = await tokensOf(id);
  expect(firstTokens).toBeGreaterThan(0);
  const fork = async (body: object) => (await at.json<ConversationInfo>(201, 'POST', `/${id}/fork`, body)).id;
  const [reset, kept] = [await fork({}), await fork({ reset_metrics: false })];
  expect([await tokensOf(reset), await tokensOf(kept)]).toEqual([[], [firstTokens]]);
  await at.json(200, 'POST', `/${kept}/events`, message('Again.', true));
  await at.status(kept, ['finished'], 2);
  expect((await tokensOf(kept))[0]).toBeGreaterThan(firstTokens ?? 0);
});
