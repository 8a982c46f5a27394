import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { llmSummary, noCondensation, observationMasking, rollingWindow } from '@varve/condensers';
import { eventCodec, type BaseEvent } from '@varve/events';
import { builtinKinds } from '@varve/events/kinds';
import { TerminalAction } from '@varve/events/payloads';
import { eventFactory } from '@varve/events/testing';
import { expect, test } from 'vitest';
import { readLogFile } from './read-log-file.ts';
import { replayCondenser } from './replay-condenser.ts';

const maxInputTokens = 1_000_000;

/** Sixteen calls; the last one repeats the first. */
function log(): readonly BaseEvent[] {
  const { prompt, user, call, result } = eventFactory();
  const events: BaseEvent[] = [prompt(), user('Go.')];
  for (let round = 0; round < 16; round++) {
    const action = TerminalAction.create({ command: `show ${round % 15}` });
    events.push({ ...call(`c${round}`, `r${round}`), action } as BaseEvent, result(round, 'word '.repeat(200)));
  }
  return events;
}

test('without a condenser nothing is saved or lost', async () => {
  const replayed = await replayCondenser(log(), noCondensation(), { maxInputTokens });
  expect(replayed).toMatchObject({ requests: 16, condensations: 0, cacheLost: 0, readAgain: { calls: 0 } });
  expect(replayed.tokensAfter).toBe(replayed.tokensBefore);
});

test('what a condenser saves and loses is counted, and what the agent reads again after it was hidden', async () => {
  const replayed = await replayCondenser(log(), rollingWindow({ maxEvents: 20 }), { maxInputTokens });
  expect(replayed).toMatchObject({ requests: 16, condensations: 1, condenserTokens: 0, tooLong: 0 });
  expect(replayed.readAgain).toEqual({ calls: 1, tokens: expect.any(Number) as number });
  expect(replayed.readAgain.tokens).toBeGreaterThan(150);
  expect(replayed.tokensAfter).toBeLessThan(replayed.tokensBefore);
  expect(replayed.cacheLost).toBeGreaterThan(0);
});

test('the requests of a summarising condenser are counted without a model', async () => {
  const replayed = await replayCondenser(log(), llmSummary({ maxEvents: 20 }), { maxInputTokens });
  expect(replayed.condensations).toBeGreaterThan(0);
  expect(replayed.condenserTokens).toBeGreaterThan(1_000);
});

test('masked results count as hidden', async () => {
  const replayed = await replayCondenser(log(), observationMasking({ attentionWindow: 6 }), { maxInputTokens });
  expect(replayed.masked).toBeGreaterThan(5);
  expect(replayed.readAgain.calls).toBe(1);
});

test('a log is read from a file of lines, without its own condensations', async () => {
  const { condensation } = eventFactory();
  const events = log();
  const codec = eventCodec(builtinKinds);
  const dir = await mkdtemp(join(tmpdir(), 'varve-replay-'));
  try {
    const lines = [...events, { ...condensation(events.slice(2, 4)), id: 'cccccccc' }].map((event) =>
      codec.encode(event),
    );
    await writeFile(join(dir, 'log.jsonl'), `${lines.join('\n')}\n`);
    expect((await readLogFile(join(dir, 'log.jsonl'))).map(({ id }) => id)).toEqual(events.map(({ id }) => id));
  } finally {
    await rm(dir, { recursive: true, force: true });
  }
});
