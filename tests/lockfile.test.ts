import { expect, test } from 'vitest';
import { parse } from 'yaml';
import { lockfileProblems } from './lockfile-rules.ts';
import { trackedFiles } from './tracked-files.ts';
import { readText } from './workspace.ts';

const lockfile = readText('pnpm-lock.yaml');
/** The parts of a lockfile with one package each: what is tested is the form of entries. */
const small = `lockfileVersion: '9.0'

importers:

  packages/a:
    dependencies:
      b:
        specifier: workspace:^
        version: link:../b

packages:

  left-pad@1.0.0:
    resolution: {integrity: sha512-${'A'.repeat(86)}==}

snapshots: {}
`;

test('the lockfile names packages of the registry by their content, and nothing else', () => {
  expect(lockfileProblems(lockfile)).toEqual([]);
  expect(lockfileProblems(small)).toEqual([]);
});

const digest = `sha512-${'A'.repeat(86)}==`;

test.for<readonly [what: string, before: string | RegExp, after: string]>([
  ['an address next to the digest', '==}', '==, tarball: https://x.example/a.tgz}'],
  ['an address', /resolution: .*/, 'resolution: {tarball: https://x.example/a.tgz}'],
  [
    'an address in lines',
    /resolution: .*/,
    `resolution:\n      integrity: ${digest}\n      tarball: https://x.example`,
  ],
  ['a weak digest', digest, 'sha1-AAAA'],
  ['two digests', digest, `${digest} sha1-AAAA`],
  ['a repository', /resolution: .*/, 'resolution: {type: git, repo: https://x.example/a.git, commit: abc}'],
  ['a directory', /resolution: .*/, 'resolution: {directory: a, type: directory}'],
  ['no digest', /resolution: .*/, 'engines: {node: 24}'],
  ['a name that is an address', 'left-pad@1.0.0', 'left-pad@https://x.example/a.tgz'],
  ['a patch', 'snapshots: {}', 'snapshots: {}\npatchedDependencies:\n  a@1.0.0: x'],
  ['an override', 'snapshots: {}', 'snapshots: {}\noverrides:\n  a: npm:b@1.0.0'],
  ['a link out of the workspace', 'link:../b', 'link:../../../b'],
  ['a link to a folder of the workspace', 'link:../b', 'link:../../examples'],
  ['a file', 'link:../b', 'file:b.tgz'],
  ['an address as a dependency', 'link:../b', 'https://x.example/a.tgz'],
])('%s in a lockfile is found', ([, before, after]) => {
  const changed = small.replace(before, () => after);
  expect(changed).not.toBe(small);
  expect(lockfileProblems(changed)).not.toEqual([]);
});

test('no file selects a registry, or runs in an installation except the one that a release ignores', () => {
  const configures =
    /(?:^|\/)(?:\.?npmrc|\.yarnrc(?:\.yml)?|\.?pnpmfile\.[cm]?js|\.pnp\.[cm]?js|binding\.gyp|bunfig\.toml)$/;
  expect(trackedFiles().filter((file) => configures.test(file))).toEqual(['.pnpmfile.mjs']);
  const settings = [
    'allowBuilds',
    'blockExoticSubdeps',
    'catalog',
    'catalogMode',
    'catalogs',
    'disallowWorkspaceCycles',
    'minimumReleaseAge',
    'nodeVersion',
    'packages',
    'pmOnFail',
    'trustPolicy',
    'verifyDepsBeforeRun',
  ];
  expect(Object.keys(parse(readText('pnpm-workspace.yaml')) as object).toSorted()).toEqual(settings);
});
