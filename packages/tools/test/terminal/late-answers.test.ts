import { once } from 'node:events';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { expect, test } from 'vitest';
import { openSandbox, sandboxProblem } from '@varve/sandbox';
import { callUntil, metadataOf, openTerminal, outputOf } from '../support/open-terminal.ts';

const problem = await sandboxProblem();
if (problem !== undefined) process.stderr.write(`NOT TESTED: answers to questions about hosts. ${problem}\n`);

test.skipIf(problem !== undefined).for([
  [true, 'the answer', undefined],
  [false, 'does not allow the host localhost', 'refused the network host localhost.'],
] as const)(
  'the answer %j to a question about a host holds for a command whose call has returned before',
  async ([allows, expected, refusal]) => {
    await using server = createServer((_, response) => response.end('the answer'));
    await once(server.listen(0, '127.0.0.1'), 'listening');
    const address = server.address();
    const url = `http://localhost:${typeof address === 'object' ? address?.port : 0}`;
    const answer = Promise.withResolvers<boolean>();
    using stack = new DisposableStack();
    const policy = { profile: 'test', writable: [tmpdir()], readOnly: [], hidden: [], network: { allowed: [] } };
    const sandbox = stack.adopt(openSandbox(policy, { askHost: async () => answer.promise }), (each) => each.close());
    await using opened = await openTerminal(true, { sandbox, noChangeTimeoutMs: 100 });
    const first = await opened.call({ command: `curl -sS --noproxy '' -x "$HTTP_PROXY" ${url}` });
    expect([outputOf(first), metadataOf(first).exit_code]).toEqual(['', -1]);
    answer.resolve(allows);
    const { text, last } = await callUntil(opened, { command: '' }, expected);
    expect(text).toContain(expected);
    expect(metadataOf(last).suffix).toContain(refusal ?? 'has finished');
  },
);
