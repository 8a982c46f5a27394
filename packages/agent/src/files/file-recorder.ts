import { relative, resolve, sep } from 'node:path';
import { filesFact, type FileChange } from '@varve/events/facts';
import { ApplyPatchAction, FileEditorAction, PlanningFileEditorAction } from '@varve/events/payloads';
import type { Files } from '@varve/events/projections';
import type { Mask } from '@varve/text';
import { filesOfPatch, realPathOf, type Effect } from '@varve/tools';
import { FileChanges, isSameVersion, readVersion, type ChangedFile, type FileVersion } from '@varve/tools/workspace';
import type { Draft } from '../log/drafts.ts';
import { isBelow } from '../commands/named-path.ts';
import { maxFileBytes, StoredContents } from './file-change.ts';

/** Call whose changes are recorded. */
export interface RecordedCall {
  readonly event: { readonly id: string };
  readonly action: Parameters<typeof FileEditorAction.is>[0];
  readonly effect: Effect;
}

/** Files of a workspace from which on nothing is looked for in it: a home directory, or a disk. */
const maxFiles = 200_000;
/** What calls change in such a workspace is not known. */
const unseen = { hash: 'unknown', omitted: 'large' } as const;

type FilesValue = Parameters<typeof filesFact.create>[0];
/** State of a path, and its hash in the log, which is that of no secret; null: there is no file. */
type Known = (Omit<FileVersion, 'bytes'> & { readonly stored: string }) | null;
/** Files that a running call names, as they were before it; none for a command. */
type Named = ReadonlyMap<string, FileVersion | undefined>;

/** Calls that changes are attributed to. */
type Cause = Omit<FilesValue, 'changes'>;

/** Options of {@link FileRecorder}. */
export interface FileRecorderOptions {
  /** Without it, nothing is recorded. */
  readonly isOn: boolean;
  readonly workspace: string;
  readonly mask: Mask;
  /** Absolute paths of the application, which are left out. */
  readonly excluded: readonly string[];
  /** Returns the files of the log so far; called once. */
  readonly files: () => Files;
}

/**
 * Finds the files that calls changed, for the facts in the appends of their results. Calls of editors name theirs; what
 * others changed is looked for in the workspace, from the first such call on. What changed while none ran is of
 * something outside.
 */
export class FileRecorder {
  readonly #options: FileRecorderOptions;
  readonly #running = new Map<string, Named>();
  /** Commands that ran since the last look at the workspace, and since the last complete one. */
  #commands = new Set<string>();
  #unchecked = new Set<string>();
  #log: { readonly known: Map<string, Known>; readonly contents: StoredContents } | undefined;
  #changes: FileChanges | undefined;
  /** True for a workspace that has too many files to look at. */
  #isTooLarge = false;
  /** Running calls during which a command ran: it may have led an editor to another file, by a link. */
  readonly #duringCommands = new Set<string>();
  /** Facts that are not stored yet: from outside, and of commands that still run. */
  #pending: Draft[] = [];
  #queue: Promise<unknown> = Promise.resolve();

  constructor(options: FileRecorderOptions) {
    this.#options = options;
  }

  /** Prepares for the changes of a call that is about to start. */
  async begin({ event: { id }, action, effect }: RecordedCall): Promise<void> {
    if (effect === 'read' || !this.#options.isOn) return;
    await this.#enqueue(async () => {
      const names = this.#namesOf(action);
      if (names) {
        // What a command has changed already is not what the editor finds.
        if (this.#commands.size > 0) this.#pending.push(...(await this.#look()));
        const named = new Map<string, FileVersion | undefined>();
        for (const name of names) named.set(name, await this.#read(name));
        const changes = [...named].flatMap(([path, after]) =>
          this.#loaded().known.has(path) ? [{ path, ...(after && { after }) }] : [],
        );
        this.#pending.push(...this.#draftsOf(changes, () => causeOf([...this.#commands])));
        this.#running.set(id, named);
        if (this.#commands.size > 0) this.#duringCommands.add(id);
        return;
      }
      this.#pending.push(...(await this.#look()));
      for (const each of this.#running.keys()) this.#duringCommands.add(each);
      this.#commands.add(id);
      this.#unchecked.add(id);
      this.#running.set(id, new Map());
    });
  }

  /** Returns the facts for the append of the result of a call. */
  async end(id: string): Promise<readonly Draft[]> {
    const named = this.#running.get(id);
    if (!named) return [];
    return this.#enqueue(async () => {
      const { contents } = this.#loaded();
      contents.beginCall();
      const isCommand = this.#commands.has(id);
      const drafts = isCommand ? [] : await this.#changesOfNamed(id, named);
      const found = this.#duringCommands.delete(id) || isCommand ? await this.#look() : [];
      this.#running.delete(id);
      this.#commands = new Set([...this.#commands].filter((each) => this.#running.has(each)));
      return [...this.#pending.splice(0), ...drafts, ...found];
    });
  }

  /**
   * Returns the facts that make the log agree with the disk. `walks` also finds what no watch reports, and attributes
   * it to the commands since the last such look.
   */
  async check({ walks }: { readonly walks: boolean }): Promise<readonly Draft[]> {
    return this.#enqueue(async () => {
      this.#pending.push(...(await this.#look()));
      const found = walks ? ((await this.#changes?.changes((path) => this.#isKnown(path), { walks })) ?? []) : [];
      const cause = causeOf([...this.#unchecked]);
      if (walks) this.#unchecked = new Set(this.#commands);
      return [...this.#pending.splice(0), ...this.#draftsOf(found, () => cause)];
    });
  }

  /** Returns the fact about these files, as something other than a call has changed them. */
  async record(paths: readonly string[], cause: Cause): Promise<readonly Draft[]> {
    return this.#enqueue(async () => {
      const changed: ChangedFile[] = [];
      for (const path of paths) {
        const accept = this.#changes?.acceptance(path);
        const after = await this.#read(path);
        accept?.();
        changed.push({ path, ...(after && { after }) });
      }
      return this.#draftsOf(changed, () => cause);
    });
  }

  /** Returns the facts about what commands changed since the last complete look; without commands, it does not look. */
  async lastCheck(): Promise<readonly Draft[]> {
    return this.#unchecked.size > 0 ? this.check({ walks: true }) : [];
  }

  async close(): Promise<void> {
    await this.#enqueue(async () => this.#changes?.close());
  }

  async #enqueue<T>(work: () => Promise<T>): Promise<T> {
    const result = this.#queue.then(work);
    this.#queue = result.catch(() => undefined);
    return result;
  }

  #loaded(): { readonly known: Map<string, Known>; readonly contents: StoredContents } {
    if (this.#log) return this.#log;
    const files = this.#options.files();
    const known = new Map([...files.records].map(([path, { change }]) => [path, knownOf(change)] as const));
    this.#log = { known, contents: new StoredContents(files, this.#options) };
    return this.#log;
  }

  #isKnown(path: string): boolean {
    return this.#loaded().known.has(path);
  }

  /** Returns the facts about what changed in the workspace: without a command that ran, it is from outside. */
  async #look(): Promise<readonly Draft[]> {
    if (this.#isTooLarge) return [];
    const changes = this.#changes ? await this.#changes.changes((path) => this.#isKnown(path)) : await this.#open();
    const commands = causeOf([...this.#commands]);
    return this.#draftsOf(changes, (path) => this.#editorOf(path) ?? commands);
  }

  /** Opens the workspace, and compares the files that the log knows with the disk. */
  async #open(): Promise<readonly ChangedFile[]> {
    const { workspace, excluded } = this.#options;
    this.#changes = await FileChanges.open(workspace, { maxBytes: maxFileBytes, maxFiles, excluded });
    this.#isTooLarge = !this.#changes;
    const changed: ChangedFile[] = this.#changes ? [] : [{ path: './', after: { mode: '40000', ...unseen } }];
    for (const [path, known] of this.#loaded().known) {
      if (known?.hash === 'unknown' || path.endsWith('/')) continue;
      const after = await this.#read(path);
      changed.push({ path, ...(after && { after }) });
    }
    // What an editor that runs has changed already was not there before it.
    for (const [path, found] of [...this.#running.values()].flatMap((named) => [...named])) {
      const after = await this.#read(path);
      if (!this.#isKnown(path) && !isSameVersion(found, after))
        changed.push({ path, ...(found && { found }), ...(after && { after }) });
    }
    return changed;
  }

  async #changesOfNamed(id: string, named: Named): Promise<readonly Draft[]> {
    const changed: ChangedFile[] = [];
    for (const [path, found] of named) {
      const accept = this.#changes?.acceptance(path);
      const after = await this.#read(path);
      const isKnown = this.#isKnown(path);
      // A command that still runs may have changed it before.
      if (!isKnown && isSameVersion(found, after)) continue;
      accept?.();
      changed.push({ path, ...(!isKnown && found && { found }), ...(after && { after }) });
    }
    return this.#draftsOf(changed, () => ({ action_id: id }));
  }

  /** Returns the running call of an editor that names a path. */
  #editorOf(path: string): Cause | undefined {
    for (const [id, named] of this.#running) if (named.has(path)) return { action_id: id };
    return undefined;
  }

  /** Records changes: files that existed as they were found, then what changed of them. */
  #draftsOf(changes: readonly ChangedFile[], causeFor: (path: string) => Cause): readonly Draft[] {
    const { known, contents } = this.#loaded();
    const found: FileChange[] = [];
    const byCause = new Map<string, { readonly cause: Cause; readonly changes: FileChange[] }>();
    for (const { path, found: version, after } of changes) {
      const before = known.has(path) ? (known.get(path) ?? undefined) : version;
      if (isSameVersion(before, after)) continue;
      let prior = known.get(path)?.stored ?? version?.hash ?? null;
      if (version && !known.has(path) && version.omitted !== 'ignored') {
        const fields = contents.fieldsOf(path, version);
        prior = fields.after;
        found.push({ path, before: prior, ...fields });
      }
      const change: FileChange = { path, before: prior, ...contents.fieldsOf(path, after) };
      const { bytes: _bytes, ...state } = after ?? { mode: '', hash: '' };
      known.set(path, change.after === null ? null : { ...state, stored: change.after });
      const cause = causeFor(path);
      const key = JSON.stringify(cause);
      const group = byCause.get(key) ?? { cause, changes: [] };
      byCause.set(key, group);
      group.changes.push(change);
    }
    const values: FilesValue[] = [...byCause.values()].map(({ cause, changes: list }) => ({ ...cause, changes: list }));
    if (found.length > 0) values.unshift({ outside: true, changes: found });
    return values.map((value): Draft => ({ make: (stamp) => filesFact.create(value, stamp) }));
  }

  async #read(path: string): Promise<FileVersion | undefined> {
    return readVersion(resolve(this.#options.workspace, path), maxFileBytes);
  }

  /** Returns the files that a call of an editor changes, by their paths in facts; undefined for other calls. */
  #namesOf(action: RecordedCall['action']): readonly string[] | undefined {
    const { workspace } = this.#options;
    const isEditor = FileEditorAction.is(action) || PlanningFileEditorAction.is(action);
    const paths = isEditor ? [action.path] : ApplyPatchAction.is(action) ? filesOfPatch(action.patch) : undefined;
    const names = paths?.map((path) => {
      const real = realPathOf(resolve(workspace, path));
      return isBelow(real, workspace) ? relative(workspace, real).split(sep).join('/') : real;
    });
    return names && [...new Set(names.filter((name) => name !== '' && !/(?:^|\/)\.git(?:\/|$)/.test(name)))];
  }
}

function knownOf({ mode, after }: FileChange): Known {
  return after === null ? null : { mode: mode ?? '', hash: after, stored: after };
}

function causeOf(ids: readonly string[]): Cause {
  const [id] = ids;
  if (id === undefined) return { outside: true };
  return ids.length === 1 ? { action_id: id } : { action_ids: ids };
}
