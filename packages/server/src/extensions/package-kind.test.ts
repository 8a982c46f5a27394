import { lstat, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { create, Header } from 'tar';
import { expect, onTestFinished, test } from 'vitest';
import { skillPackages } from './package-kind.ts';
import { unpackArchive } from './unpack-archive.ts';

async function directory(): Promise<string> {
  const root = await mkdtemp(join(tmpdir(), 'varve-install-'));
  onTestFinished(() => rm(root, { recursive: true }));
  return root;
}

const skill = (name: string): string => `---\nname: ${name}\ndescription: About it.\n---\nText.`;

/** Entry of a tar archive, whose header may contain anything. */
interface TarEntry {
  readonly path: string;
  readonly content?: string;
  readonly type?: 'File' | 'SymbolicLink' | 'Link' | 'Directory' | 'CharacterDevice';
  readonly linkpath?: string;
}

function tarGz(entries: readonly TarEntry[]): Buffer {
  const blocks = entries.flatMap(({ path, content = '', type = 'File', linkpath }) => {
    const header = new Header({
      path,
      type,
      size: Buffer.byteLength(content),
      mode: 0o644,
      ...(linkpath && { linkpath }),
    });
    const head = Buffer.alloc(512);
    header.encode(head, 0);
    const body = Buffer.alloc(Math.ceil(Buffer.byteLength(content) / 512) * 512);
    body.write(content);
    return [head, body];
  });
  return gzipSync(Buffer.concat([...blocks, Buffer.alloc(1024)]));
}

/** Returns a zip archive of stored files: local headers, a central directory and its end. */
function zip(entries: readonly { path: string; content: string; mode?: number; size?: number }[]): Buffer {
  const locals: Buffer[] = [];
  const central: Buffer[] = [];
  let offset = 0;
  for (const { path, content, mode = 0o100644, size = Buffer.byteLength(content) } of entries) {
    const name = Buffer.from(path);
    const data = Buffer.from(content);
    const shared = Buffer.alloc(26);
    shared.writeUInt16LE(20, 0);
    shared.writeUInt32LE(data.length, 14);
    shared.writeUInt32LE(size, 18);
    shared.writeUInt16LE(name.length, 22);
    const local = Buffer.concat([Buffer.from('PK\u0003\u0004'), shared, name, data]);
    const tail = Buffer.alloc(14);
    tail.writeUInt32LE((mode << 16) >>> 0, 6);
    tail.writeUInt32LE(offset, 10);
    central.push(Buffer.concat([Buffer.from('PK\u0001\u0002'), Buffer.from([20, 3]), shared, tail, name]));
    locals.push(local);
    offset += local.length;
  }
  const directoryBytes = Buffer.concat(central);
  const end = Buffer.alloc(22);
  end.write('PK\u0005\u0006');
  end.writeUInt16LE(entries.length, 8);
  end.writeUInt16LE(entries.length, 10);
  end.writeUInt32LE(directoryBytes.length, 12);
  end.writeUInt32LE(offset, 16);
  return Buffer.concat([...locals, directoryBytes, end]);
}

test('the skill of an archive that tar wrote is unpacked with its files', async () => {
  const [source, target] = [await directory(), await directory()];
  for (const path of ['pack', 'pack/pdf', 'pack/pdf/scripts', 'pack/pdf/csv']) await mkdir(join(source, path));
  await writeFile(join(source, 'pack/pdf/SKILL.md'), skill('pdf'));
  await writeFile(join(source, 'pack/pdf/scripts/run.sh'), 'echo');
  await writeFile(join(source, 'pack/pdf/csv/SKILL.md'), skill('csv'));
  await create({ gzip: true, cwd: source, file: join(source, 'pack.tgz') }, ['pack']);
  const { name, directory: unpacked } = await skillPackages.unpack(await readFile(join(source, 'pack.tgz')), target);
  expect(name).toBe('pdf');
  expect((await readdir(unpacked)).toSorted()).toEqual(['SKILL.md', 'csv', 'scripts']);
  expect((await lstat(join(unpacked, 'scripts/run.sh'))).mode & 0o111).not.toBe(0);
});

test('a zip archive that is a skill itself is unpacked under its name', async () => {
  const archive = zip([
    { path: 'SKILL.md', content: skill('pdf') },
    { path: 'references/forms.md', content: 'Forms.' },
  ]);
  const { name, directory: unpacked } = await skillPackages.unpack(archive, await directory());
  expect(name).toBe('pdf');
  expect(await readFile(join(unpacked, 'references/forms.md'), 'utf8')).toBe('Forms.');
});

test('a skill has the name of its text, which leads nowhere else, else that of its directory', async () => {
  for (const [path, content, expected] of [
    ['csv/SKILL.md', skill('pdf'), 'pdf'],
    ['SKILL.md', skill('../evil'), 'evil'],
    ['csv/SKILL.md', 'Text.', 'csv'],
  ] as const) {
    expect(await skillPackages.unpack(tarGz([{ path, content }]), await directory())).toMatchObject({ name: expected });
  }
});

const good = { path: 'pdf/SKILL.md', content: skill('pdf') };

test.for([
  ['a path that leads outside', tarGz([good, { path: '../evil', content: 'x' }])],
  ['an inner path that leads outside', tarGz([good, { path: 'pdf/../../evil', content: 'x' }])],
  ['an absolute path', tarGz([good, { path: '/tmp/evil', content: 'x' }])],
  ['a back slash', tarGz([good, { path: 'pdf\\..\\evil', content: 'x' }])],
  ['a directory outside', tarGz([good, { path: '../evil/', type: 'Directory' }])],
  ['a symbolic link', tarGz([good, { path: 'pdf/scripts', type: 'SymbolicLink', linkpath: '/etc' }])],
  ['a hard link', tarGz([good, { path: 'pdf/passwd', type: 'Link', linkpath: '/etc/passwd' }])],
  ['a device', tarGz([good, { path: 'pdf/zero', type: 'CharacterDevice' }])],
  ['two paths that differ in case only', tarGz([good, { path: 'PDF/skill.md', content: 'x' }])],
  ['a file that is a directory', tarGz([good, { path: 'pdf/a' }, { path: 'pdf/a/b' }])],
  ['a directory that is a file', tarGz([good, { path: 'pdf/a/b' }, { path: 'pdf/a' }])],
  ['two directories that differ in case only', tarGz([good, { path: 'pdf/a/b' }, { path: 'pdf/A/c' }])],
  ['two forms of a letter', tarGz([good, { path: 'pdf/\u00e9' }, { path: 'pdf/e\u0301' }])],
  ['a name that is too long', zip([good, { path: `pdf/${'é'.repeat(128)}`, content: '' }])],
  [
    'too many directories',
    tarGz([good, ...Array.from({ length: 2000 }, () => ({ path: 'd/', type: 'Directory' }) as const)]),
  ],
  ['too many files', tarGz([good, ...Array.from({ length: 500 }, (_, index) => ({ path: `pdf/${index}` }))])],
  ['a bomb', gzipSync(Buffer.alloc(40 * 1024 * 1024))],
  ['a zip path that leads outside', zip([good, { path: '../evil', content: 'x' }])],
  ['a zip link', zip([good, { path: 'pdf/link', content: '/etc', mode: 0o120777 }])],
  ['a zip with a wrong size', zip([{ ...good, size: 10 }])],
  ['a zip with a huge size', zip([good, { path: 'pdf/big', content: 'x', size: 0x7fffffff }])],
  ['two skills', tarGz([good, { path: 'csv/SKILL.md', content: skill('csv') }])],
  ['no skill', tarGz([{ path: 'pdf/README.md', content: 'x' }])],
  ['a name without letters', tarGz([{ path: 'SKILL.md', content: skill('".."') }])],
  ['a skill without a name', tarGz([{ path: 'SKILL.md', content: 'Text.' }])],
  ['an archive that was cut off', tarGz([good]).subarray(0, 60)],
  ['other bytes', Buffer.from('SKILL.md')],
] as const)('an archive with %s is refused, and nothing of it is written elsewhere', async ([, archive]) => {
  const parent = await directory();
  const target = join(parent, 'skills');
  await mkdir(target);
  await expect(skillPackages.unpack(archive, target)).rejects.toMatchObject({ code: 'invalid' });
  expect(await readdir(parent)).toEqual(['skills']);
});

test('one directory of an archive is unpacked, within limits that count all of it', async () => {
  const parent = await directory();
  const archive = tarGz([{ path: 'package/build/a/index.html', content: 'page' }, { path: 'package/run.js' }]);
  const options = { archive, inside: 'package/build' };
  const limits = { files: 2, fileBytes: 4, totalBytes: 4 };
  await unpackArchive({ ...options, limits, directory: join(parent, 'good') });
  expect(await readdir(join(parent, 'good'), { recursive: true })).toEqual(['a', 'a/index.html']);
  for (const less of [{ files: 1 }, { fileBytes: 3 }, { totalBytes: 3 }]) {
    const small = unpackArchive({ ...options, limits: { ...limits, ...less }, directory: join(parent, 'bad') });
    await expect(small).rejects.toMatchObject({ code: 'invalid' });
  }
  expect(await readdir(parent)).toEqual(['good']);
});
