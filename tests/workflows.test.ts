import { globSync } from 'node:fs';
import { isMap, isPair, isScalar, isSeq, parseDocument, visit } from 'yaml';
import { expect, test } from 'vitest';
import { workflowProblems } from './workflow-rules.ts';
import { readText, root, workspacePackages } from './workspace.ts';

const workflows = globSync('.github/**/*.{yml,yaml}', { cwd: root });

test.for(workflows)('%s grants each job the rights of its own step, and runs nothing that can change', (file) => {
  expect(workflowProblems(readText(file))).toEqual([]);
});

test.for(workflows)('%s runs the version of pnpm that the workspace names', (file) => {
  const { packageManager } = JSON.parse(readText('package.json')) as { packageManager: string };
  const named = readText(file).match(/pnpm@[^\s]+/g) ?? [];
  expect(new Set(named)).toEqual(new Set([packageManager]));
});

const release = '.github/workflows/release.yml';
const hash = '0123456789abcdef0123456789abcdef01234567';

/** Changes of the release, as a mistake or a pull request could make them. */
const changes: Readonly<Record<string, (workflow: string) => string>> = {
  'an action by tag': (text) => text.replace(/checkout@\w{40}/, 'checkout@v7'),
  'an action by a short hash': (text) => text.replace(/checkout@(\w{7})\w{33}/, 'checkout@$1'),
  'an action without its version': (text) => text.replace(/ # v7\.0\.1/, ''),
  'an action of an image': (text) => text.replace(/uses: actions\/checkout@\w{40}/, 'uses: docker://alpine:3'),
  'an action of the repository': (text) => text.replace(/uses: actions\/checkout@\w{40}/, 'uses: ./action'),
  'an action in quotes': (text) => text.replace(/uses: (actions\/checkout)@\w{40}/, 'uses: "$1@v7"'),
  'another workflow': (text) => `${text}  more-jobs:\n    uses: a/b/.github/workflows/c.yml@${hash} # v1.0.0\n`,
  'rights of all jobs': (text) => text.replace('permissions: {}', 'permissions: write-all'),
  'no rights of all jobs': (text) => text.replace('permissions: {}\n', ''),
  'a job without rights': (text) => text.replace(/ {4}permissions:\n {6}contents: read\n/, ''),
  'a job with all rights': (text) => text.replace(/ {4}permissions:\n {6}contents: read/, '    permissions: write-all'),
  'one more right': (text) => text.replace(/ {6}contents: read/, '      contents: read\n      id-token: write'),
  'a larger right': (text) => text.replace(/ {6}contents: read/, '      contents: write'),
  'a job with another name': (text) => `${text}  a-job:\n    runs-on: ubuntu-latest\n    timeout-minutes: 1\n`,
  'credentials that stay': (text) => text.replace('persist-credentials: false', 'persist-credentials: true'),
  'a checkout without options': (text) => text.replace(/ {8}with:\n {10}persist-credentials: false\n/, ''),
  'a secret': (text) => `${text}        env:\n          TOKEN: \${{ secrets.NPM_TOKEN }}\n`,
  'a secret by another name': (text) => `${text}        env:\n          TOKEN: \${{ secrets['NPM_TOKEN'] }}\n`,
  'an event of other repositories': (text) => text.replace('  push:', '  pull_request_target:'),
  'an event after another workflow': (text) => text.replace('on:\n', 'on:\n  workflow_run:\n'),
  'events in another form': (text) => text.replace(/on:\n.*\n.*\n/, 'on: [push, issue_comment]\n'),
  'a value of an event in a command': (text) => `${text}      - run: echo \${{ github.event.head_commit.message }}\n`,
  'a value in a command of lines': (text) => `${text}      - run: |\n          echo \${{ github.actor }}\n`,
  'a command that publishes': (text) => `${text}      - run: pnpm run build\n`,
  'a command of lines that publishes': (text) => `${text}      - run: |\n          pnpm run build\n`,
  'an install script of the publisher': (text) => text.replaceAll(' --ignore-scripts', ''),
  'code of the repository in an installation': (text) => text.replaceAll(' --ignore-pnpmfile', ''),
  'dependencies without the lockfile': (text) => text.replace('pnpm install --frozen-lockfile\n', 'pnpm install\n'),
  'no approval': (text) => text.replace('    environment: npm\n', ''),
  'no time limit': (text) => text.replace(/ {4}timeout-minutes: \d+\n/, ''),
};

test.for(Object.keys(changes))('%s in the release is found', (change) => {
  const text = readText(release);
  const changed = changes[change]?.(text) ?? text;
  expect(changed).not.toBe(text);
  expect(workflowProblems(changed)).not.toEqual([]);
});

/** Keys that a part of a workflow must not have, with values that run something, or reveal a secret. */
const hostileKeys: Readonly<Record<string, unknown>> = {
  env: { NODE_OPTIONS: '--import ./x.js', npm_config_registry: 'http://x.example' },
  defaults: { run: { shell: './x.sh {0}' } },
  shell: './x.sh {0}',
  'working-directory': 'x',
  container: 'x',
  services: { x: { image: 'x' } },
  secrets: 'inherit',
  script: './x.sh',
  cache: 'pnpm',
  'registry-url': 'http://x.example',
  'continue-on-error': true,
  schedule: [],
  workflow_dispatch: null,
};
const hostileValues = [
  'secrets.NPM_TOKEN',
  "secrets['NPM_TOKEN']",
  'toJSON(secrets)',
  'github.token',
  'github.event.pull_request.title',
  'github.event.head_commit.message',
  'github.head_ref',
  'github.ref_name',
  'github.actor',
  "format('{0}', github.event.issue.body)",
  'inputs.x',
  'env.X',
  'vars.X',
];
/** Maps whose keys are names of the workflow's own. */
const named = /^(?:jobs|outputs)$/;

/** Returns workflows that differ by one hostile key or value: several at every place, and each of them somewhere. */
function hostileVariants(text: string): readonly (readonly [change: string, text: string])[] {
  const variants: (readonly [string, string])[] = [];
  const original = parseDocument(text);
  const change = (path: readonly unknown[], value: unknown): void => {
    const document = original.clone();
    document.setIn(path, value);
    variants.push([`${path.join('.')}: ${JSON.stringify(value)}`, document.toString({ lineWidth: 0 })]);
  };
  let turn = 0;
  visit(original, (position, node, ancestors) => {
    const path = pathOf([...ancestors, node]);
    if (isMap(node) && !path.includes('matrix') && !named.test(String(path.at(-1)))) {
      for (let count = 0; count < 2; count += 1) {
        const [key = '', value] = Object.entries(hostileKeys)[turn++ % Object.keys(hostileKeys).length] ?? [];
        change([...path, key], value);
      }
    }
    if (isScalar(node) && typeof node.value === 'string' && position === 'value') {
      change(path, `${node.value}\${{ ${hostileValues[turn++ % hostileValues.length]} }}`);
    }
  });
  return variants;
}

/** Returns the keys and indexes that lead to the last of these nodes. */
function pathOf(nodes: readonly unknown[]): readonly unknown[] {
  return nodes.flatMap((node, at): readonly unknown[] => {
    const parent = nodes[at - 1];
    if (isPair(parent)) return [String(parent.key)];
    return isSeq(parent) ? [parent.items.indexOf(node)] : [];
  });
}

test.for(workflows)(
  'any variable, command, container, cache or value of others that is added to %s is found',
  (file) => {
    const text = readText(file);
    expect(workflowProblems(parseDocument(text).toString({ lineWidth: 0 }))).toEqual([]);
    const variants = hostileVariants(text);
    expect(variants.length).toBeGreaterThan(30);
    const unseen = variants.filter(([, changed]) => workflowProblems(changed).length === 0);
    expect(unseen.map(([change]) => change)).toEqual([]);
  },
);

test('only one job has an identity, and the packed files have a list of their contents', () => {
  const all = workflows.map(readText).join('\n');
  expect(all.match(/id-token: write/g)).toHaveLength(1);
  expect(all).toMatch(/run: pnpm sbom .*--sbom-format/);
});

test('packages have no scripts that an installation or a publication runs, and are published with provenance', () => {
  const hooks = /^(?:pre|post)?(?:install|prepare|pack|publish|version|uninstall)$|^prepublishOnly$|^dependencies$/;
  const folders = ['', 'examples', ...workspacePackages().map(({ folder }) => folder)];
  const manifests = folders.map((folder) => JSON.parse(readText(`${folder || '.'}/package.json`)) as PublishedManifest);
  expect(manifests.flatMap(({ scripts = {} }) => Object.keys(scripts)).filter((name) => hooks.test(name))).toEqual([]);
  const published = manifests.filter((manifest) => manifest.private !== true);
  expect(published.length).toBeGreaterThan(5);
  expect(published.filter(({ publishConfig }) => publishConfig?.provenance !== true)).toEqual([]);
});

test('dependencies are at least three days old, from the registry, by their usual publisher, and run one script', () => {
  const settings = readText('pnpm-workspace.yaml');
  for (const line of ['minimumReleaseAge: 4320', 'blockExoticSubdeps: true', 'trustPolicy: no-downgrade']) {
    expect(settings.split('\n')).toContain(line);
  }
  expect(settings).not.toMatch(/^(?:minimumReleaseAgeExclude|trustPolicyExclude|dangerously\w*|onlyBuiltDep\w*):/m);
  const [, allowed = ''] = /^allowBuilds:\n((?: .*\n)*)/m.exec(settings) ?? [];
  expect(allowed.split('\n').filter((line) => line.endsWith(': true'))).toEqual(['  node: true']);
});

/** Fields of a manifest that decide what a publication runs and proves. */
interface PublishedManifest {
  readonly private?: boolean;
  readonly scripts?: Readonly<Record<string, string>>;
  readonly publishConfig?: { readonly provenance?: boolean };
}
