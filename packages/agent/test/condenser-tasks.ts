import { condenserFromSpec } from '@varve/condensers';
import type { Json } from '@varve/events';
import { expect } from 'vitest';
import { facts, runCondensedTask, type CondensedTaskOptions } from './condensed-task.ts';

/** A condenser in a long task. */
export interface CondenserTask {
  readonly spec: Json;
  /** Facts that the agent must know at the end. */
  readonly keeps: readonly string[];
}

const [told, ...learned] = facts;
const opening = [told];
const all = [told, ...learned];

/** Every kind of condenser by its name, with what it must preserve. */
export const condenserTasks: Readonly<Record<string, CondenserTask>> = {
  'no-condensation': { spec: { kind: 'no-condensation' }, keeps: opening },
  'rolling-window': { spec: { kind: 'rolling-window', maxEvents: 120, windowShare: 0.8 }, keeps: opening },
  amortized: { spec: { kind: 'amortized', windowShare: 0.8 }, keeps: opening },
  recent: { spec: { kind: 'recent', windowShare: 0.8 }, keeps: opening },
  'conversation-window': { spec: { kind: 'conversation-window' }, keeps: opening },
  'discard-all': { spec: { kind: 'discard-all' }, keeps: opening },
  'observation-masking': { spec: { kind: 'observation-masking', attentionWindow: 10 }, keeps: opening },
  'browser-masking': { spec: { kind: 'browser-masking' }, keeps: opening },
  'llm-summary': { spec: { kind: 'llm-summary' }, keeps: all },
  'structured-summary': { spec: { kind: 'structured-summary' }, keeps: all },
  'llm-attention': { spec: { kind: 'llm-attention', windowShare: 0.8 }, keeps: all },
  'in-order': {
    spec: {
      kind: 'in-order',
      condensers: [
        { kind: 'observation-masking', attentionWindow: 20 },
        { kind: 'llm-summary', windowShare: 0.5 },
      ],
    },
    keeps: [told, ...learned.slice(1)],
  },
};

/** Runs a task of a condenser, and checks that it ends, legal and with its facts. */
export async function checkCondenserTask(
  { spec, keeps }: CondenserTask,
  size: Omit<CondensedTaskOptions, 'condenser'>,
): Promise<void> {
  const task = await runCondensedTask({ condenser: condenserFromSpec(spec), ...size });
  expect(task).toMatchObject({
    reason: 'finished',
    problems: [],
    knownFacts: expect.arrayContaining([...keeps]) as unknown,
  });
  expect(task.condensations).toBeGreaterThan(1);
  expect(task.largest).toBeLessThanOrEqual(size.contextWindow);
}
