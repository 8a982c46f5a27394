import { spawn, type StdioOptions } from 'node:child_process';
import { mkdirSync, mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { openSandbox, type SandboxOptions } from '../../src/open-sandbox.ts';
import type { SandboxPolicy } from '../../src/policy/sandbox-policy.ts';
import { profilePolicy, type ProfileOptions } from '../../src/policy/profiles.ts';
import { sandboxProblem } from '../../src/probe.ts';
import type { Sandbox } from '../../src/sandbox.ts';

/** Why the tests of this file cannot run here. Reported, because nothing else would show that they are missing. */
export const problem = await sandboxProblem();
if (problem !== undefined) process.stderr.write(`NOT TESTED: the sandbox. ${problem}\n`);

/** A home directory with a workspace, outside of the temporary directories that a sandbox may write. */
export interface Place extends Disposable {
  readonly root: string;
  readonly home: string;
  readonly workspace: string;
  readonly sandbox: Sandbox;
  /** Runs a command of bash in the sandbox and returns its exit code and both streams. */
  run(command: string, env?: Readonly<Record<string, string>>, stdio?: StdioOptions): Promise<Ended>;
}

/** End of a command. */
export interface Ended {
  readonly code: number | null;
  readonly output: string;
}

/** Options of {@link openPlace}. */
export interface PlaceOptions extends SandboxOptions, Partial<ProfileOptions> {
  readonly profile?: Parameters<typeof profilePolicy>[0];
  /** Called with the directories before the sandbox is opened. */
  readonly prepare?: (place: Pick<Place, 'root' | 'home' | 'workspace'>) => void;
  readonly policy?: Partial<SandboxPolicy>;
}

/** Creates directories and opens a sandbox for them. */
export function openPlace({ profile = 'workspace', prepare, policy, ...options }: PlaceOptions = {}): Place {
  const root = realpathSync(mkdtempSync('/var/tmp/varve-test-'));
  const home = join(root, 'home');
  const workspace = options.workspace ?? join(home, 'work space\n1');
  mkdirSync(workspace, { recursive: true });
  prepare?.({ root, home, workspace });
  const base = profilePolicy(profile, { home, temporary: [], ...options, workspace });
  const sandbox = openSandbox({ ...base, ...policy }, options);
  return {
    root,
    home,
    workspace,
    sandbox,
    async run(command, env = {}, stdio = 'pipe') {
      const wrapped = sandbox.wrap(['/bin/bash', '--norc', '-c', command], {
        directory: workspace,
        env: { PATH: '/usr/local/bin:/usr/bin:/bin', HOME: home, ROOT: root, ...env },
      });
      const child = spawn(wrapped.program, wrapped.args, { env: wrapped.env, stdio });
      const pieces: string[] = [];
      for (const stream of [child.stdout, child.stderr])
        stream?.setEncoding('utf8').on('data', (piece) => pieces.push(piece));
      const { promise, resolve } = Promise.withResolvers<number | null>();
      child.once('close', resolve);
      return { code: await promise, output: pieces.join('') };
    },
    [Symbol.dispose]() {
      sandbox.close();
      rmSync(root, { recursive: true, force: true });
    },
  };
}
