import { globSync } from 'node:fs';
import { expect, test } from 'vitest';
import { readText, root } from './workspace.ts';

const workflows = globSync('.github/workflows/*.yml', { cwd: root });
const text = (file: string): string => readText(file);

test.for(workflows)('%s uses actions by the hash of a commit', (file) => {
  const uses = [...text(file).matchAll(/uses: (.+)/g)].map(([, action = '']) => action);
  expect(uses.length).toBeGreaterThan(0);
  expect(uses.filter((action) => !/^[\w/-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+$/.test(action))).toEqual([]);
});

test.for(workflows)('%s grants rights to single jobs, and no credentials to checkouts', (file) => {
  const workflow = text(file);
  expect(workflow).toMatch(/^permissions: \{\}$/m);
  expect(workflow).not.toMatch(/secrets\./);
  const checkouts = workflow.split('uses: actions/checkout@').slice(1);
  expect(checkouts.filter((step) => !/^.*\n +with:\n +persist-credentials: false\n/.test(step))).toEqual([]);
  const jobs = jobsOf(workflow);
  expect(jobs.filter((job) => !/^ {4}permissions:$/m.test(job))).toEqual([]);
});

test.for(workflows)('%s runs the version of pnpm that the workspace names', (file) => {
  const { packageManager } = JSON.parse(readText('package.json')) as { packageManager: string };
  const named = text(file).match(/pnpm@[^\s]+/g) ?? [];
  expect(new Set(named)).toEqual(new Set([packageManager]));
});

test('only the job that publishes has an identity, and it runs no install script', () => {
  const withIdentity = workflows.flatMap((file) => jobsOf(text(file)).filter((job) => job.includes('id-token: write')));
  expect(withIdentity).toHaveLength(1);
  expect(withIdentity.join('').match(/run: .+/g)).toEqual([
    expect.stringMatching(/^run: npm install --global pnpm@/),
    'run: pnpm install --frozen-lockfile --ignore-scripts',
  ]);
});

test('new versions of dependencies are not installed within three days', () => {
  expect(readText('pnpm-workspace.yaml')).toMatch(/^minimumReleaseAge: 4320$/m);
});

/** The text of each job of a workflow. */
function jobsOf(workflow: string): readonly string[] {
  return workflow
    .slice(workflow.indexOf('\njobs:\n'))
    .split(/^(?= {2}\w+:$)/m)
    .slice(1);
}
