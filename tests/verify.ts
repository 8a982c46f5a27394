import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { browserBundle } from './verify/browser-bundle.ts';
import { checklist, type Checklist } from './verify/checklist.ts';
import { importOnce, installAll, typeCheck } from './verify/consumer.ts';
import { nodeBinary } from './verify/node-binary.ts';
import { checkFiles, pack, type Packed } from './verify/packed.ts';
import { run } from './verify/run.ts';
import { useTools } from './verify/use-tools.ts';
import { useWithZod, zodVersions } from './verify/zod-versions.ts';
import { root, subpathsOf, workspacePackages } from './workspace.ts';

/** Oldest Node that libraries support; apps support the one that runs this. */
const oldestNode = '22.13.0';

const bin = join(root, 'node_modules/.bin');
process.env['PATH'] = [bin, process.env['PATH']].join(delimiter);

const folder = await mkdtemp(join(tmpdir(), 'varve verify '));
const checks = checklist();
try {
  const packed = await packAll(checks);
  const project = join(folder, 'project');
  if (await checks.check('all packages install together with npm', () => installAll(packed, project))) {
    await checkInstalled(checks, packed, project);
  }
} finally {
  await rm(folder, { recursive: true, force: true });
}
process.exitCode = checks.end();

/** Packs every published package and checks each tarball. Resolves to the packages that could be packed. */
async function packAll(list: Checklist): Promise<readonly Packed[]> {
  const packed: Packed[] = [];
  for (const pkg of workspacePackages().filter(({ manifest }) => !manifest.private)) {
    const { name } = pkg.manifest;
    await list.check(`${name} packs`, async () => packed.push(await pack(pkg, folder)));
  }
  for (const tarball of packed) {
    const { name } = tarball.manifest;
    await list.check(`${name} holds its entry points and no tests`, async () => checkFiles(tarball));
    await list.check(`${name} pleases publint`, () => run('publint', ['run', '--strict', tarball.tarball], folder));
    if (subpathsOf(tarball).length === 0) continue;
    await list.check(`${name} pleases attw`, () => run('attw', ['--profile', 'esm-only', tarball.tarball], folder));
  }
  return packed;
}

/** Uses the installed packages in the way of their users. */
async function checkInstalled(list: Checklist, packed: readonly Packed[], project: string): Promise<void> {
  let oldest = '';
  await list.check(
    `Node ${oldestNode} comes from npm`,
    async () => (oldest = await nodeBinary(oldestNode, join(folder, 'node'))),
  );
  for (const tarball of packed) {
    const nodes = tarball.manifest.engines?.node === '>=24' ? [process.execPath] : [process.execPath, oldest];
    for (const subpath of subpathsOf(tarball)) {
      for (const node of nodes) {
        const version = node === oldest ? oldestNode : process.versions.node;
        await list.check(`${subpath.specifier} loads on Node ${version}`, () => importOnce(node, subpath, project));
      }
    }
    for (const command of Object.keys(tarball.manifest.bin ?? {})) {
      await list.check(`${command} --version prints its version`, async () => {
        const printed = await run(join(project, 'node_modules/.bin', command), ['--version'], project);
        assert.equal(printed.trim(), tarball.manifest.version);
      });
      if (command !== 'varve') continue;
      await list.check(`the installed ${command} repairs its demo project`, async () => {
        const printed = await run(
          join(project, 'node_modules/.bin', command),
          ['demo', '--store', 'sqlite:demo.db'],
          project,
        );
        assert.match(printed, /The tests pass/);
      });
    }
  }
  for (const node of [process.execPath, oldest]) {
    const version = node === oldest ? oldestNode : process.versions.node;
    await list.check(`terminal, editors and search work without install scripts on Node ${version}`, () =>
      useTools(node, project),
    );
  }
  await list.check('a module that imports every entry point type-checks', () => typeCheck(packed, project));
  await list.check('a timeline of events fits into 40 kB of a page', () => browserBundle(project));
  for (const zod of zodVersions) {
    const where = { folder: join(folder, `zod ${zod}`), nodes: [process.execPath, oldest] };
    await list.check(`a custom tool compiles and runs with zod ${zod}`, () => useWithZod(packed, zod, where));
  }
}
