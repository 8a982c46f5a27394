import { posix } from 'node:path';
import type { Files } from '../src/directory/layout/files.ts';

interface File {
  readonly serial: number;
  contents: Buffer;
  /** Contents after a power failure. */
  durable: Buffer;
  modifiedNs: bigint;
}

interface Directory {
  readonly serial: number;
  readonly entries: Map<string, Node>;
  /** Entries that a power failure cannot remove. */
  durable: ReadonlyMap<string, Node>;
  /** Changes of names since the last `fsync`. */
  changes: (readonly [name: string, node: Node | undefined])[];
  modifiedNs: bigint;
}

type Node = File | Directory;

/** A crash of the process or a power failure. */
export type Crash = 'kill' | { readonly keep: number } | { readonly seed: number };

/** A file system in memory that can lose data that was not synced. */
export interface VolatileFiles extends Files {
  /** Number of calls so far. */
  readonly calls: number;
  /** Makes this call and all later ones fail without effect, as if the process had died. */
  dieAt(call: number): void;
  /**
   * Returns the files that another process finds after the crash. After a power failure with `keep`, a directory has
   * its synced entries and the first `keep` of its later changes, such as 0 or `Infinity`. With `seed`, it has a random
   * selection of the later changes, and a file has a random part of its unsynced contents, in blocks of 512 bytes, some
   * of them zeros.
   */
  survivor(crash: Crash): VolatileFiles;
  /** Makes the calls that `accepts` selects fail with a system error. */
  failWith(errno: string, accepts: (name: keyof Files, path: string) => boolean): void;
}

/** Creates an empty file system with the directory `/`. */
export function volatileFiles(): VolatileFiles {
  return over({ root: directory(0), clock: { serial: 1, ns: 1_000n } });
}

interface Disk {
  readonly root: Directory;
  readonly clock: { serial: number; ns: bigint };
}

function over(disk: Disk): VolatileFiles {
  let calls = 0;
  let deadFrom = Infinity;
  let fault: { errno: string; accepts: (name: keyof Files, path: string) => boolean } | undefined;
  const enter = (name: keyof Files, path: string): void => {
    calls += 1;
    if (calls >= deadFrom) throw new Error('The process is dead.');
    if (fault?.accepts(name, path)) fail(fault.errno, path);
  };
  const plain = plainFiles(disk);
  const files: Files = {
    list: (path) => (enter('list', path), plain.list(path)),
    status: (path) => (enter('status', path), plain.status(path)),
    isLink: (path) => plain.isLink(path),
    read: (path) => (enter('read', path), plain.read(path)),
    write: (path, text) => (enter('write', path), plain.write(path, text)),
    append: (path, text) => (enter('append', path), plain.append(path, text)),
    writeAndFsync: async (path, contents) => (enter('writeAndFsync', path), plain.writeAndFsync(path, contents)),
    fsync: async (path) => (enter('fsync', path), plain.fsync(path)),
    link: (from, to) => (enter('link', to), plain.link(from, to)),
    rename: (from, to) => (enter('rename', to), plain.rename(from, to)),
    remove: (path) => (enter('remove', path), plain.remove(path)),
    makeDirectory: (path) => (enter('makeDirectory', path), plain.makeDirectory(path)),
    makeDirectories: (path) => (enter('makeDirectories', path), plain.makeDirectories(path)),
    setModifiedTime: (path, ns) => (enter('setModifiedTime', path), plain.setModifiedTime(path, ns)),
    watch: () => () => {},
  };
  return {
    ...files,
    get calls() {
      return calls;
    },
    dieAt: (call) => (deadFrom = call),
    failWith: (errno, accepts) => (fault = { errno, accepts }),
    survivor: (crash) =>
      over(
        crash === 'kill'
          ? disk
          : { ...disk, root: afterPowerFailure(disk.root, lossOf(crash), new Map()) as Directory },
      ),
  };
}

function plainFiles({ root, clock }: Disk): Files {
  const find = (path: string): Node | undefined =>
    parts(path).reduce<Node | undefined>(
      (at, name) => (at && 'entries' in at ? at.entries.get(name) : undefined),
      root,
    );
  const parent = (path: string): Directory => {
    const at = find(posix.dirname(path));
    return at && 'entries' in at ? at : fail('ENOENT', path);
  };
  const set = (path: string, node: Node | undefined): void => {
    const at = parent(path);
    const name = posix.basename(path);
    if (node) at.entries.set(name, node);
    else at.entries.delete(name);
    at.changes.push([name, node]);
    at.modifiedNs = clock.ns += 1n;
  };
  const make = (path: string, node: Node): void => {
    if (find(path)) fail('EEXIST', path);
    set(path, node);
  };
  const file = (contents: Buffer, durable: Buffer): File => {
    clock.serial += 1;
    return { serial: clock.serial, contents, durable, modifiedNs: (clock.ns += 1n) };
  };
  const makeDirectory = (path: string): void => make(path, directory((clock.serial += 1)));
  return {
    list: (path) => {
      const at = find(path);
      return at && 'entries' in at ? [...at.entries.keys()] : [];
    },
    status: (path) => {
      const at = find(path);
      return at && { identity: `${at.serial}`, modifiedNs: at.modifiedNs, links: 1 };
    },
    isLink: () => false,
    read: (path) => {
      const at = find(path);
      return at && 'contents' in at ? at.contents : undefined;
    },
    write: (path, text) => make(path, file(Buffer.from(text), Buffer.alloc(0))),
    append(path, text) {
      const at = find(path);
      if (!at) return make(path, file(Buffer.from(text), Buffer.alloc(0)));
      if ('entries' in at) return fail('EISDIR', path);
      at.contents = Buffer.concat([at.contents, Buffer.from(text)]);
      at.modifiedNs = clock.ns += 1n;
      return undefined;
    },
    writeAndFsync: async (path, contents) => make(path, file(Buffer.from(contents), Buffer.from(contents))),
    async fsync(path) {
      const at = find(path);
      if (!at) return fail('ENOENT', path);
      if ('contents' in at) {
        at.durable = at.contents;
        return undefined;
      }
      at.durable = new Map(at.entries);
      at.changes = [];
      return undefined;
    },
    link: (from, to) => make(to, find(from) ?? fail('ENOENT', from)),
    rename(from, to) {
      const node = find(from) ?? fail('ENOENT', from);
      const existing = find(to);
      if (existing && 'entries' in existing && existing.entries.size > 0) fail('ENOTEMPTY', to);
      parent(to);
      set(from, undefined);
      set(to, node);
    },
    remove(path) {
      if (find(path)) set(path, undefined);
    },
    makeDirectory,
    makeDirectories(path) {
      const missing = parts(path).map((_, index, all) => `/${all.slice(0, index + 1).join('/')}`);
      const made = missing.filter((missingPath) => !find(missingPath));
      for (const madePath of made) makeDirectory(madePath);
      return made;
    },
    setModifiedTime: (path, ns) => void ((find(path) ?? fail('ENOENT', path)).modifiedNs = ns),
    watch: () => () => {},
  };
}

/** Selects the unsynced data that survives a power failure. */
interface Loss {
  changes(changes: Directory['changes']): Directory['changes'];
  contents(file: File): Buffer;
}

function lossOf(crash: { readonly keep: number } | { readonly seed: number }): Loss {
  if ('keep' in crash) {
    return { changes: (changes) => changes.slice(0, crash.keep), contents: ({ durable }) => durable };
  }
  let state = crash.seed;
  // Park and Miller's generator, so that a seed always has the same result.
  const random = (): number => (state = (state * 48_271) % 2_147_483_647) / 2_147_483_647;
  return {
    changes: (changes) => changes.filter(() => random() < 0.5),
    contents({ contents, durable }) {
      const end = durable.length + 512 * Math.floor((random() * (contents.length - durable.length + 512)) / 512);
      const survived = Buffer.from(contents.subarray(0, Math.min(end, contents.length)));
      for (let at = durable.length; at < survived.length; at += 512)
        if (random() < 0.2) survived.subarray(at, at + 512).fill(0);
      return survived;
    },
  };
}

/** Copies a tree after a power failure; a file with two names stays one file. */
function afterPowerFailure(node: Node, loss: Loss, copies: Map<Node, Node>): Node {
  const known = copies.get(node);
  if (known) return known;
  if ('contents' in node) {
    const contents = loss.contents(node);
    const copy = { ...node, contents, durable: contents };
    copies.set(node, copy);
    return copy;
  }
  const copy = { ...directory(node.serial), modifiedNs: node.modifiedNs };
  copies.set(node, copy);
  const names = new Map(node.durable);
  for (const [name, other] of loss.changes(node.changes)) {
    if (other) names.set(name, other);
    else names.delete(name);
  }
  for (const [name, other] of names) copy.entries.set(name, afterPowerFailure(other, loss, copies));
  copy.durable = new Map(copy.entries);
  return copy;
}

function directory(serial: number): Directory {
  return { serial, entries: new Map(), durable: new Map(), changes: [], modifiedNs: 0n };
}

function parts(path: string): readonly string[] {
  return path.split('/').filter((part) => part !== '');
}

function fail(errno: string, path: string): never {
  throw Object.assign(new Error(`${errno}: ${path}`), { code: errno, syscall: 'call', path });
}
