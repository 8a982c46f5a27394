import { tmpdir } from 'node:os';
import { expect, onTestFinished, test } from 'vitest';
import { openSandbox, sandboxProblem } from '@varve/sandbox';
import { runHook } from './run-hook.ts';

test.skipIf((await sandboxProblem()) !== undefined)(
  'a hook that the sandbox stops is reported with the setting',
  async () => {
    const sandbox = openSandbox({ profile: 'workspace', writable: [], readOnly: [], hidden: [], network: 'off' });
    onTestFinished(() => sandbox.close());
    const { signal } = new AbortController();
    const input = { event_type: 'PreToolUse', session_id: 's', working_dir: tmpdir(), metadata: {} } as const;
    const refused = await runHook({ type: 'command', command: 'touch /etc/refused' }, input, { signal, sandbox });
    expect(refused).toMatchObject({
      blocked: false,
      error:
        'The sandbox (profile workspace) may have refused writing to "/etc/refused", which the output names. Its setting is sandbox.profile.',
    });
    const failed = await runHook({ type: 'command', command: 'exit 1' }, input, { signal, sandbox });
    expect(failed.error).toBeUndefined();
  },
);
