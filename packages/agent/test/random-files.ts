import { chmodSync, lstatSync, mkdirSync, readdirSync, readFileSync, readlinkSync, renameSync } from 'node:fs';
import { realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { mkdtempDisposable } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { filesFact, rewindFact } from '@varve/events/facts';
import { scriptedModel, type ScriptedTurn } from '@varve/llm/testing';
import { memoryStore, type EventStore } from '@varve/storage';
import { applyPatch, defineTool, fileEditor, finish } from '@varve/tools';
import { expect } from 'vitest';
import * as z from 'zod';
import { defineAgent, type Agent } from '../src/agent/agent.ts';
import { Conversation } from '../src/conversation/conversation.ts';
import { digestOf } from '../src/log/digest.ts';
import { aroundAppends } from '../src/testing/around-appends.ts';
import { dice, type Dice } from './dice.ts';

/** Contents, types and modes of the files of a directory, and the directories, by path. */
export type Tree = ReadonlyMap<string, string>;

/** Returns the tree of a directory. */
export function treeOf(root: string, below = ''): Tree {
  const tree = new Map<string, string>();
  for (const entry of readdirSync(join(root, below))) {
    const name = join(below, entry);
    const path = join(root, name);
    const stats = lstatSync(path);
    if (stats.isDirectory()) {
      for (const [each, file] of treeOf(root, name)) tree.set(each, file);
      continue;
    }
    const content = stats.isSymbolicLink() ? readlinkSync(path) : readFileSync(path).toString('latin1');
    tree.set(name, `${stats.isSymbolicLink() ? 'link' : stats.mode.toString(8)} ${content}`);
  }
  return tree;
}

/** Makes a path as it is in a tree, if its directory allows it. */
function restore(root: string, path: string, file: string | undefined): void {
  const target = join(root, path);
  rmSync(target, { force: true });
  if (file === undefined) return;
  const mode = file.slice(0, file.indexOf(' '));
  const content = Buffer.from(file.slice(mode.length + 1), 'latin1');
  if (mode === 'link') return symlinkSync(content, target);
  write(target, content);
  chmodSync(target, Number.parseInt(mode, 8) & 0o777);
}

const names = ['a', 'b', 'c/d', 'c/e', 'f/g/h', 'nested/x', 'nested/y/z', 'link'] as const;
const own = ['p1', 'c/p2', 'nested/p3'] as const;

/** Reports whether a path is a link, through which this test must never write. */
function isLink(path: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink() === true;
}

function write(path: string, content: string | Buffer): void {
  try {
    if (isLink(path)) return;
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, content);
  } catch {
    // A file or a directory is there.
  }
}

/** Changes a random file as a program does, at one of some paths. */
function change(root: string, choose: Dice, paths: readonly [string, ...string[]]): void {
  const [path, other] = [join(root, choose.of(paths)), join(root, choose.of(paths))];
  const bytes = Buffer.from(Array.from({ length: choose.below(50) }, () => choose.below(256)));
  const actions: readonly [() => void, ...(() => void)[]] = [
    () => write(path, `text ${choose.below(1e9)}\n`),
    () => write(path, bytes),
    () => write(path, 'x'.repeat(33_000 + choose.below(9))),
    () => rmSync(path, { recursive: true, force: true }),
    () => (isLink(path) ? undefined : chmodSync(path, choose.of([0o600, 0o644, 0o755]))),
    () => symlinkSync(choose.of(['a', 'nothing']), path),
    () => renameSync(path, other),
  ];
  try {
    choose.of(actions)();
  } catch {
    // The file is not there, or the other one is.
  }
}

/** Returns the call of an editor for a random file. */
function editorCall(root: string, choose: Dice): NonNullable<ScriptedTurn['calls']>[number] {
  const path = choose.of(names);
  if (choose.chance(0.3)) {
    const patch = `*** Begin Patch\n*** ${choose.of(['Delete File', 'Add File'])}: ${path}\n+new\n*** End Patch`;
    return { name: 'apply_patch', arguments: { patch: patch.replace(/(Delete File.*)\n\+new/, '$1') } };
  }
  return {
    name: 'file_editor',
    arguments: { command: 'create', path: join(root, path), file_text: `e${choose.below(9)}` },
  };
}

/** Options of a random conversation. */
interface RandomOptions {
  readonly seed: number;
  readonly store?: EventStore;
}

/** A conversation about files, and copies of the workspace after some of its events. */
export interface RandomConversation extends AsyncDisposable {
  readonly conversation: Conversation;
  readonly workspace: string;
  /** Trees by ids of events. */
  readonly trees: ReadonlyMap<string, Tree>;
  readonly agent: Agent;
}

/**
 * Runs a conversation that changes files by editors, commands, concurrent and failing calls, while a person changes
 * other files.
 */
export async function randomConversation({ seed, store = memoryStore() }: RandomOptions): Promise<RandomConversation> {
  const choose = dice(seed);
  await using stack = new AsyncDisposableStack();
  const temporary = stack.use(await mkdtempDisposable(join(tmpdir(), 'varve-random-')));
  const workspace = realpathSync(temporary.path);
  for (let count = choose.below(6); count > 0; count--) change(workspace, choose, names);
  for (const path of own) write(join(workspace, path), 'mine');
  mkdirSync(join(workspace, 'nested/.git'), { recursive: true });
  write(join(workspace, 'nested/.git/config'), 'untouched');
  const work = defineTool({
    name: 'work',
    description: 'Works.',
    input: z.object({ fails: z.boolean().describe('Fails.') }),
    effect: 'write',
    resources: () => [],
    execute: async ({ fails }) => {
      for (let count = choose.below(4); count >= 0; count--) change(workspace, choose, names);
      if (fails) throw new Error('It failed.');
      return 'Worked.';
    },
  });
  const outside = defineTool({
    name: 'outside',
    description: 'Waits for a person.',
    input: z.object({}),
    effect: 'read',
    execute: async () => {
      change(workspace, choose, own);
      return 'Waited.';
    },
  });
  const call = () =>
    choose.chance(0.4)
      ? editorCall(workspace, choose)
      : choose.chance(0.2)
        ? { name: 'outside', arguments: {} }
        : { name: 'work', arguments: { fails: choose.chance(0.2) } };
  const turns = Array.from({ length: 2 + choose.below(5) }, () => {
    const calls = Array.from({ length: choose.chance(0.3) ? 2 : 1 }, call);
    // What a person changes while a command runs counts as changed by it.
    const alone = calls.filter(({ name }) => name === 'outside').slice(0, 1);
    return { calls: alone.length > 0 ? alone : calls };
  });
  const agent = defineAgent({
    model: scriptedModel([...turns, { calls: [{ name: 'finish', arguments: { message: 'Done.' } }] }]),
    tools: () => [fileEditor(), applyPatch(), work, outside, finish()],
    recordsFiles: true,
    stuck: 'never',
    concurrency: 1 + choose.below(2),
  });
  const conversation = await Conversation.create({ agent, store, workspace });
  await conversation.send('Go.');
  const trees = new Map<string, Tree>();
  for (;;) {
    const { reason } = await conversation.run({ maxIterations: 1 });
    const { leafId } = conversation.state;
    if (leafId !== undefined) trees.set(leafId, treeOf(workspace));
    if (reason !== 'max-iterations') break;
  }
  stack.defer(async () => conversation[Symbol.asyncDispose]().catch(() => undefined));
  const moved = stack.move();
  return { conversation, workspace, trees, agent, [Symbol.asyncDispose]: async () => moved.disposeAsync() };
}

const isOwn = (path: string): boolean => own.some((each) => path === each || path.startsWith(`${each}/`));

function shown(file: string): string {
  return file.length > 200 ? `${file.length} ${digestOf(file)}` : file;
}

/** Returns the files of the agent in a tree, or those of the person. */
function part(tree: Tree, ofPerson: boolean): Record<string, string> {
  return Object.fromEntries(
    [...tree].flatMap(([path, file]) => (isOwn(path) === ofPerson ? [[path, shown(file)]] : [])),
  );
}

/** Checks that a copy has the files of the first position, and that the workspace stays as it is. */
async function checkCopy({ conversation, workspace, trees }: RandomConversation): Promise<void> {
  const before = treeOf(workspace);
  await using place = await mkdtempDisposable(join(tmpdir(), 'varve-copy-'));
  for (const [at, tree] of [...trees].slice(0, 1)) {
    const copy = await conversation.copyFiles({ at, place: join(place.path, 'copy'), name: '' });
    const git = [...tree].filter(([path]) => path.startsWith('nested/.git'));
    expect(part(new Map([...treeOf(copy.workspace), ...git]), false)).toEqual(part(tree, false));
    expect(treeOf(workspace)).toEqual(before);
  }
}

/** Checks that every position is restored as it was, one also in a copy, and that nothing else changes. */
export async function checkPositions(random: RandomConversation): Promise<void> {
  const { conversation, workspace, trees } = random;
  await checkCopy(random);
  for (const [id, tree] of [...trees].toReversed()) {
    const before = treeOf(workspace);
    const { left, steps } = await conversation.navigate(id, { scope: 'files' });
    const now = treeOf(workspace);
    expect({ left, bad: steps.filter(({ kind }) => kind === 'cannot' || kind === 'conflict') }).toEqual({
      left: [],
      bad: [],
    });
    expect(part(now, false)).toEqual(part(tree, false));
    expect(part(now, true)).toEqual(part(before, true));
    const facts = (await Array.fromAsync(conversation.events())).flatMap(({ event }) => filesFact.read(event) ?? []);
    expect(JSON.stringify(facts)).not.toContain('untouched');
  }
}

/**
 * Crashes a return to a random position after some of its appends, undoes a part of what it wrote, and checks that the
 * next process finishes it, or that it never began.
 */
export async function checkCrash(seed: number): Promise<void> {
  const choose = dice(seed + 1e6);
  let left = Infinity;
  const disk = memoryStore();
  const store = aroundAppends(disk, async (append) => {
    if (left <= 0) throw new Error('The process is dead.');
    left -= 1;
    return append();
  });
  await using random = await randomConversation({ seed, store });
  const { conversation, workspace, trees, agent } = random;
  const [id = '', target = new Map<string, string>()] = [...trees][choose.below(trees.size)] ?? [];
  const before = treeOf(workspace);
  left = choose.below(4);
  await conversation.navigate(id, { scope: 'files' }).catch(() => undefined);
  const stored = await Array.fromAsync(conversation.events());
  const isEnded = stored.some(({ event }) => filesFact.read(event)?.rewind_id !== undefined);
  const after = treeOf(workspace);
  for (const path of new Set([...before.keys(), ...after.keys()]))
    if (!isEnded && before.get(path) !== after.get(path) && choose.chance(0.5))
      restore(workspace, path, before.get(path));
  await conversation[Symbol.asyncDispose]().catch(() => undefined);
  await using again = await Conversation.open({ agent, store: disk, id: conversation.id });
  const events = await Array.fromAsync(again.events());
  const isBegun = events.some(({ event }) => rewindFact.read(event));
  const now = treeOf(workspace);
  expect(part(now, false)).toEqual(part(isBegun ? target : before, false));
  expect(part(now, true)).toEqual(part(before, true));
}
