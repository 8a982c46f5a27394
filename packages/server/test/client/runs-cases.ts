import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { ScriptedStep, ScriptedTurn } from '@varve/llm/testing';
import { expect } from 'vitest';
import type { ClientCases, OpenedClient } from './open-client.ts';

const finish = (message: string): ScriptedTurn => ({ calls: [{ name: 'finish', arguments: { message } }] });
const write = (name: string): ScriptedStep => ({
  calls: [{ name: 'terminal', arguments: { command: `printf written > ${name}` } }],
});

/** Starts a conversation by the facade, with a policy. */
async function started(opened: OpenedClient, policy?: object) {
  const conversation = opened.conversation();
  await conversation.start();
  if (policy) await conversation.setConfirmationPolicy({ ...policy });
  return conversation;
}

/** Resolves when a search reports the status: sockets may have received it for an earlier run. */
async function until(opened: OpenedClient, id: string, status: string): Promise<void> {
  const current = async (): Promise<string> => (await opened.client.conversations.getConversation(id)).execution_status;
  while ((await current()) !== status) {
    await new Promise((resolve) => setImmediate(resolve));
  }
}

function isComplete(value: unknown): boolean {
  return typeof value === 'object' && value !== null && 'status' in value && value.status === 'complete';
}

/** Cases of runs. */
export const runCases: ClientCases = {
  'a run executes calls, streams, finishes and reports its statistics': async (open) => {
    await using opened = await open([write('a.txt'), finish('All done.')]);
    const conversation = await started(opened);
    const log = await opened.listen(conversation.id);
    await conversation.sendMessage('Write a.txt');
    await conversation.run();
    await log.untilStatus('finished');
    expect(await readFile(join(opened.workspace, 'a.txt'), 'utf8')).toBe('written');
    expect(await conversation.getAgentFinalResponse()).toBe('All done.');
    const kinds = new Set(log.events.map(({ kind }) => kind));
    for (const kind of ['SystemPromptEvent', 'MessageEvent', 'ActionEvent', 'ObservationEvent']) {
      expect(kinds).toContain(kind);
    }
    expect(await conversation.conversationStats()).toHaveProperty('usage_to_metrics');
    expect(await conversation.state.getExecutionStatus()).toBe('finished');
    const trajectory = await opened.client.files.downloadTrajectory(conversation.id);
    expect(
      Buffer.from(await trajectory.arrayBuffer())
        .subarray(0, 2)
        .toString(),
    ).toBe('PK');
  },
  'a message that asks for a run starts it': async (open) => {
    await using opened = await open([finish('Hi.')]);
    const conversation = await started(opened);
    const log = await opened.listen(conversation.id);
    const message = { role: 'user', content: [{ type: 'text', text: 'Hello' }] };
    await opened.client.conversations.sendEvent(conversation.id, message, { run: true });
    await log.untilStatus('finished');
    expect(await conversation.getAgentFinalResponse()).toBe('Hi.');
  },
  'without a policy of the client, a call that cannot be undone waits': async (open) => {
    const push: ScriptedStep = { calls: [{ name: 'terminal', arguments: { command: 'git push' } }] };
    await using opened = await open([push]);
    const conversation = await started(opened);
    const log = await opened.listen(conversation.id);
    await conversation.sendMessage('Push it');
    await conversation.run();
    await log.untilStatus('waiting_for_confirmation');
  },
  'calls wait for confirmation, are rejected, and are accepted': async (open) => {
    await using opened = await open([write('b.txt'), write('b.txt'), finish('Written.')]);
    const conversation = await started(opened, { kind: 'AlwaysConfirm' });
    const log = await opened.listen(conversation.id);
    await conversation.sendMessage('Write b.txt');
    await conversation.run();
    await log.untilStatus('waiting_for_confirmation');
    await conversation.sendConfirmationResponse(false, 'Not yet.');
    const rejected = await log.until(({ kind }) => kind === 'UserRejectObservation');
    expect(rejected['rejection_reason']).toBe('Not yet.');
    const waiting = log.events.find(({ kind }) => kind === 'ActionEvent');
    await conversation.run();
    const again = await log.until(({ kind, id }) => kind === 'ActionEvent' && id !== waiting?.id);
    await until(opened, conversation.id, 'waiting_for_confirmation');
    await conversation.sendConfirmationResponse(true);
    await log.until((event) => event.kind === 'ObservationEvent' && event['action_id'] === again.id);
    expect(await readFile(join(opened.workspace, 'b.txt'), 'utf8')).toBe('written');
  },
  'an interrupt cancels the request, and a later run continues': async (open) => {
    const requested = Promise.withResolvers<undefined>();
    let isInterrupted = false;
    const hang: ScriptedStep = () => {
      requested.resolve(undefined);
      // A replica that continues later may send the same request.
      return isInterrupted ? finish('After all.') : { fault: { kind: 'hang', afterPieces: 0 } };
    };
    await using opened = await open([hang, finish('After all.')]);
    const conversation = await started(opened);
    const log = await opened.listen(conversation.id);
    await conversation.sendMessage('Think');
    await conversation.run();
    await requested.promise;
    await expect(conversation.run()).rejects.toMatchObject({ status: 409 });
    isInterrupted = true;
    await opened.client.conversations.interruptConversation(conversation.id);
    await log.until(({ kind }) => kind === 'InterruptEvent');
    await until(opened, conversation.id, 'paused');
    await conversation.run();
    await log.untilStatus('finished');
  },
  'a pause takes effect after the step': async (open) => {
    const gate = Promise.withResolvers<undefined>();
    const requested = Promise.withResolvers<undefined>();
    const slow: ScriptedStep = () => {
      requested.resolve(undefined);
      return { calls: [{ name: 'terminal', arguments: { command: 'true' } }], gate: gate.promise };
    };
    await using opened = await open([slow, finish('Done.')]);
    const conversation = await started(opened);
    const log = await opened.listen(conversation.id);
    await conversation.sendMessage('Go');
    await conversation.run();
    await requested.promise;
    await conversation.pause();
    gate.resolve(undefined);
    await log.until(({ kind }) => kind === 'PauseEvent');
    await until(opened, conversation.id, 'paused');
    await conversation.run();
    await log.untilStatus('finished');
  },
  'a side question adds no message, and the history is condensed on demand': async (open) => {
    await using opened = await open([write('d.txt'), write('e.txt'), finish('First.'), { text: 'It is 42.' }]);
    const conversation = await started(opened);
    const log = await opened.listen(conversation.id);
    await conversation.sendMessage('Start');
    await conversation.run();
    await log.untilStatus('finished');
    const before = await opened.client.conversations.getEventCount(conversation.id, { kind: 'MessageEvent' });
    expect(await conversation.askAgent('What is it?')).toBe('It is 42.');
    expect(await opened.client.conversations.getEventCount(conversation.id, { kind: 'MessageEvent' })).toBe(before);
    await opened.client.conversations.condenseConversation(conversation.id);
    await log.until(({ kind }) => kind === 'Condensation');
  },
  'secrets reach commands and are masked in what clients receive': async (open) => {
    const show: ScriptedStep = { calls: [{ name: 'terminal', arguments: { command: 'echo "<$TOKEN_OF_TEST>"' } }] };
    await using opened = await open([show, finish('Shown.')]);
    const conversation = await started(opened, { kind: 'NeverConfirm' });
    const log = await opened.listen(conversation.id);
    await opened.client.conversations.updateSecrets(conversation.id, {
      secrets: { TOKEN_OF_TEST: { kind: 'StaticSecret', value: 'hunter2-hunter2' } },
    });
    await conversation.sendMessage('Show it');
    await conversation.run();
    await log.untilStatus('finished');
    const event = log.events.find(({ kind }) => kind === 'ObservationEvent');
    expect(JSON.stringify(event)).toContain('<<secret-hidden>>');
    expect(JSON.stringify(log.events)).not.toContain('hunter2');
  },
  'a goal is judged until it is complete; stop and resume answer as documented': async (open) => {
    await using opened = await open([
      finish('Half.'),
      { text: '{"complete": false, "reason": "half is missing"}' },
      finish('Whole.'),
      { text: '{"complete": true, "reason": "all there"}' },
    ]);
    const { conversations } = opened.client;
    const conversation = await started(opened);
    const log = await opened.listen(conversation.id);
    await expect(conversations.resumeGoal(conversation.id)).rejects.toMatchObject({ status: 400 });
    expect(await conversations.stopGoal(conversation.id)).toMatchObject({ success: true });
    await expect(conversation.startGoal(' ')).rejects.toMatchObject({ status: 400 });
    await conversation.startGoal('Do the whole', 5);
    await log.until(({ key, value }) => key === 'goal' && isComplete(value));
  },
  'the facade changes and describes its conversation, and follows it by its socket': async (open) => {
    await using opened = await open([finish('Done.')]);
    const conversation = await started(opened, { kind: 'AlwaysConfirm' });
    await conversation.startWebSocketClient();
    await conversation.setTitle('Facade');
    await conversation.setSecurityAnalyzer({ kind: 'LLMSecurityAnalyzer' });
    expect(await conversation.getHookConfig()).toBeNull();
    await conversation.sendMessage('Go');
    await conversation.run();
    await until(opened, conversation.id, 'finished');
    expect(await conversation.state.refresh()).toMatchObject({ title: 'Facade' });
    expect(await conversation.state.getConfirmationPolicy()).toMatchObject({ kind: 'AlwaysConfirm' });
    expect(await conversation.state.getWorkspace()).toMatchObject({ working_dir: opened.workspace });
    const fork = await conversation.fork({ title: 'Fork' });
    await fork.navigateTo(null);
    expect(await fork.state.refresh()).toMatchObject({ title: 'Fork', leaf_event_id: null });
    await conversation.close();
  },
  'the model is switched for the next request': async (open) => {
    await using opened = await open([finish('By the other.')]);
    const conversation = await started(opened);
    const log = await opened.listen(conversation.id);
    const llm = { model: 'openai/other', base_url: opened.model.url, api_key: 'k', usage_id: 'other' };
    await conversation.switchLlm(llm);
    expect(await conversation.state.getAgent()).toMatchObject({ llm: { model: 'openai/other' } });
    await conversation.sendMessage('Hi');
    await conversation.run();
    await log.untilStatus('finished');
    expect(JSON.parse(opened.model.requests[0]?.text ?? '{}')).toMatchObject({ model: 'other' });
    await expect(conversation.switchProfile('missing')).rejects.toMatchObject({ status: 404 });
    await expect(conversation.switchAcpModel('x')).rejects.toMatchObject({ status: 400 });
  },
  'a restart keeps conversations, and a waiting call still waits': async (open) => {
    await using opened = await open([write('c.txt'), finish('Written.')]);
    const conversation = await started(opened, { kind: 'AlwaysConfirm' });
    const log = await opened.listen(conversation.id);
    await conversation.sendMessage('Write c.txt');
    await conversation.run();
    await log.untilStatus('waiting_for_confirmation');
    log.close();
    await opened.restart();
    const again = opened.conversation(conversation.id);
    await again.start();
    expect(await again.state.getExecutionStatus()).toBe('waiting_for_confirmation');
    const second = await opened.listen(again.id);
    await again.sendConfirmationResponse(true);
    await second.untilStatus('finished');
    expect(await readFile(join(opened.workspace, 'c.txt'), 'utf8')).toBe('written');
  },
};
