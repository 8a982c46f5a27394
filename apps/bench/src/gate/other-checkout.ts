import { execFile } from 'node:child_process';
import { cp, mkdtempDisposable, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const run = promisify(execFile);
const root = fileURLToPath(new URL('../../../..', import.meta.url));
const sources = 'apps/bench/src';

/** Another commit of this repository in a temporary directory. */
export interface OtherCheckout extends AsyncDisposable {
  /** Its directory of this package. */
  readonly bench: string;
  /** Its short hash. */
  readonly commit: string;
}

async function git(...args: readonly string[]): Promise<string> {
  return (await run('git', args, { cwd: root })).stdout.trim();
}

/** Returns the commit that a branch started from; on the main branch, the commit before. */
export async function parentCommit(): Promise<string> {
  const [base, head] = [await git('merge-base', 'HEAD', 'main'), await git('rev-parse', 'HEAD')];
  const isChanged = (await git('status', '--porcelain')) !== '';
  return base === head && !isChanged ? 'HEAD~1' : base;
}

/** Checks out a commit with its dependencies, and measures it with the benchmarks of this checkout. */
export async function otherCheckout(commit: string): Promise<OtherCheckout> {
  const directory = await mkdtempDisposable(join(tmpdir(), 'varve-gate-'));
  const checkout = join(directory.path, 'checkout');
  await git('worktree', 'add', '--detach', checkout, commit);
  const pnpm = process.env['npm_execpath'] ?? 'pnpm';
  const [command = '', ...args] = /\.[cm]?js$/.test(pnpm) ? [process.execPath, pnpm] : [pnpm];
  await run(command, [...args, 'install', '--frozen-lockfile', '--prefer-offline'], { cwd: checkout });
  await rm(join(checkout, sources), { recursive: true });
  await cp(join(root, sources), join(checkout, sources), { recursive: true });
  return {
    bench: join(checkout, 'apps/bench'),
    commit: await git('rev-parse', '--short', commit),
    async [Symbol.asyncDispose]() {
      await git('worktree', 'remove', '--force', checkout);
      await directory[Symbol.asyncDispose]();
    },
  };
}
