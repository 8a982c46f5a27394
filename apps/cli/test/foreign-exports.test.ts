import { writeFile, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { eventCodec } from '@varve/events';
import { builtinKinds } from '@varve/events/kinds';
import { checkMessages, foldEvents, messageBuilder, viewProjection } from '@varve/events/projections';
import { filesAt, formats } from '@varve/interop';
import { orxhestraEventOf, orxhestraProperties, parseTrajectory, type V0Record } from '@varve/interop/records';
import { scriptedServer } from '@varve/llm/testing';
import { beforeAll, describe, expect, test } from 'vitest';
import { newHome, runVarve } from './run-varve.ts';

const codec = eventCodec(builtinKinds);
type Fields = Readonly<Record<string, unknown>>;

describe('a conversation that varve ran', () => {
  let home = '';
  let id = '';
  const target = (name: string): string => join(home, name === 'v0-directory' ? name : `${name}.json`);

  beforeAll(async () => {
    home = await newHome();
    await writeFile(join(home, 'notes.txt'), 'Forty-two.\n');
    await using server = await scriptedServer([
      {
        text: 'I look.',
        calls: [{ name: 'file_editor', arguments: { command: 'view', path: join(home, 'notes.txt') } }],
        usage: { input_tokens: 10, output_tokens: 1 },
        costUsd: 0.25,
      },
      {
        calls: [{ name: 'no_such_tool', arguments: {} }],
        usage: { input_tokens: 20, output_tokens: 2 },
        costUsd: 0.5,
      },
      {
        calls: [{ name: 'finish', arguments: { message: 'It is forty-two.' } }],
        usage: { input_tokens: 30, output_tokens: 3 },
        costUsd: 1,
      },
    ]);
    const run = await runVarve(['run', 'What is in notes.txt?', '--base-url', server.url, '--model', 'm'], { home });
    id = /conversation (\w+)/.exec(run.stderr)?.[1] ?? '';
    for (const { name } of formats.filter((format) => format.write !== undefined)) {
      const { code, stderr } = await runVarve(['export', id, target(name), '--format', name], { home });
      if (code !== 0) throw new Error(stderr);
    }
  });

  const both = formats
    .filter((format) => format.read !== undefined && format.write !== undefined)
    .map(({ name }) => name);

  test.for(both)('is read again from the format %s, as messages that a strict provider accepts', async (name) => {
    const file = name.endsWith('history') || name === 'evaluation' ? `${target(name)}l` : target(name);
    if (file !== target(name)) await writeFile(file, await readFile(target(name)));
    const files = await filesAt(file);
    const format = formats.find((candidate) => candidate.name === name);
    expect(await format?.matches?.(files)).toBe(true);
    const [log] = (await format?.read?.(files, { newId: () => crypto.randomUUID() })) ?? [];
    expect(log?.problems).toEqual([]);
    const { events } = foldEvents(viewProjection(codec), log?.entries.map(({ text }) => codec.decode(text)) ?? []);
    const messages = messageBuilder(codec)(events);
    expect(checkMessages(messages)).toEqual([]);
    const messageText = JSON.stringify(messages);
    for (const part of ['What is in notes.txt?', 'I look.', 'Forty-two.', 'no_such_tool', 'It is forty-two.']) {
      expect(messageText).toContain(part);
    }
  });

  test('is a trajectory of V0 that starts with the prompt and the message of the user', async () => {
    const records = parseTrajectory(await readFile(target('v0'), 'utf8'), 'v0') as readonly V0Record[];
    const actions = records.filter(({ action }) => action !== undefined).slice(0, 2);
    expect(actions.map(({ action, source }) => [action, source])).toEqual([
      ['system', 'agent'],
      ['message', 'user'],
    ]);
  });

  test('has the cost and tokens so far in each action of V0, and all of them in its metadata', async () => {
    const records = parseTrajectory(await readFile(target('v0'), 'utf8'), 'v0') as readonly V0Record[];
    const costs = records.flatMap(({ llm_metrics: metrics }) => {
      const { accumulated_cost, accumulated_token_usage } = (metrics ?? {}) as Fields;
      const { prompt_tokens } = (accumulated_token_usage ?? {}) as Fields;
      return accumulated_cost === undefined ? [] : [[accumulated_cost, prompt_tokens]];
    });
    expect([...new Map(costs.map((cost) => [String(cost), cost])).values()]).toEqual([
      [0.25, 10],
      [0.75, 30],
      [1.75, 60],
    ]);
    const metadata = JSON.parse(await readFile(join(target('v0-directory'), 'metadata.json'), 'utf8')) as Fields;
    expect(metadata).toMatchObject({ accumulated_cost: 1.75, prompt_tokens: 60, completion_tokens: 6 });
  });

  test('is a session of orxhestra with a start, an end and one final answer', async () => {
    const { events } = JSON.parse(await readFile(target('orxhestra'), 'utf8')) as {
      readonly events: readonly unknown[];
    };
    const known = events.flatMap((event) => orxhestraEventOf(event) ?? []);
    const types = known.map(({ type }) => type);
    expect([types[0], types[1], types.at(-1)]).toEqual(['user_message', 'agent_start', 'agent_end']);
    const properties = known.map((event) => orxhestraProperties(event));
    expect(properties.filter(({ isFinalResponse }) => isFinalResponse).map(({ text }) => text)).toEqual([
      'It is forty-two.',
    ]);
    const answered = new Set(
      properties.flatMap(({ toolResponses }) => toolResponses.map((toolResponse) => toolResponse.tool_call_id)),
    );
    expect(properties.flatMap(({ toolCalls }) => toolCalls.map((toolCall) => toolCall.tool_call_id))).toEqual([
      ...answered,
    ]);
  });

  test('is a task of mcpbench_dev with its status and its statistics', async () => {
    const log = JSON.parse(await readFile(target('mcpbench'), 'utf8')) as Fields;
    expect(log).toMatchObject({
      status: 'success',
      key_stats: { interaction_turns: 1, tool_calls: 3, agent_llm_requests: 3, assistant_turns: 3, total_turns: 4 },
    });
  });
});
