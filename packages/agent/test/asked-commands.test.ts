import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { TerminalAction } from '@varve/events/payloads';
import { terminal, type Tool } from '@varve/tools';
import { reviewCalls } from '../src/confirmation/gate.ts';
import { autoConfirm } from '../src/conversation/create-agent.ts';

/** Commands of coding agents, one text each. */
interface AgentCommands {
  /** What a person does not want to be asked about. */
  readonly ordinary: readonly string[];
  /** Frequent commands that reach beyond the workspace or lose uncommitted work. */
  readonly weighty: readonly string[];
  /** What harms a person without a sandbox. */
  readonly dangerous: readonly string[];
}

const { ordinary, weighty, dangerous } = JSON.parse(
  readFileSync(new URL('../../../tests/fixtures/agent-commands.json', import.meta.url), 'utf8'),
) as AgentCommands;

const gate = { policy: autoConfirm(), protectedPaths: [] };

/** Returns the commands that the default policy asks about when the model rates everything LOW. */
function asked(list: readonly string[], sandbox?: string): readonly string[] {
  const tool: Tool = { ...terminal(), ...(sandbox !== undefined && { sandbox }) };
  return list.filter((command) => {
    const action = TerminalAction.create({ command });
    return reviewCalls(gate, [{ tool, action, risk: 'LOW', workspace: '/project' }]).some(({ review }) => review.asks);
  });
}

test('the lists are long, and name each command once', () => {
  const all = [...ordinary, ...weighty, ...dangerous];
  expect([ordinary.length > 300, dangerous.length > 100, new Set(all).size]).toEqual([true, true, all.length]);
});

test('at most 1 in 50 ordinary commands is asked about in a sandbox', () => {
  const all = [...ordinary, ...weighty];
  expect(asked(all, 'workspace').length).toBeLessThanOrEqual(all.length / 50);
});

test('at most 1 in 8 ordinary commands is asked about without a sandbox', () => {
  expect(asked(ordinary).length).toBeLessThanOrEqual(ordinary.length / 8);
});

test('every command that is dangerous or reaches beyond the workspace is asked about without a sandbox', () => {
  const all = [...weighty, ...dangerous];
  const unasked = new Set(all).difference(new Set(asked(all)));
  // The environment of the shell contains no keys.
  expect([...unasked]).toEqual(['env | grep -i key']);
});
