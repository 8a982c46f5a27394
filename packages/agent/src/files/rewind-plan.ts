import type { BaseEvent } from '@varve/events';
import { effectFact, filesFact, importFact, type FileChange } from '@varve/events/facts';
import { ActionEvent } from '@varve/events/kinds';
import { ApplyPatchAction, FileEditorAction, PlanningFileEditorAction } from '@varve/events/payloads';
import { changesOf } from '@varve/events/projections';
import { isRestorable } from '@varve/tools/workspace';

/** A file as the log has it; a hash of null is that of no file. */
export interface LoggedFile {
  readonly hash: string | null;
  /** Octal; empty without a file. */
  readonly mode: string;
}

/** What is to be done about one file. */
export interface RewindStep {
  /**
   * `write`, `delete`; `conflict` if something else than the agent changed it since, so that a person decides; `cannot`
   * if the log does not have what it was.
   */
  readonly kind: 'write' | 'delete' | 'conflict' | 'cannot';
  readonly path: string;
  readonly before: LoggedFile;
  readonly after: LoggedFile;
  /** Reason of `conflict` and `cannot`. */
  readonly reason?: string;
}

/** Steps by which files get the content that they had, in the order of their paths. */
export interface RewindPlan {
  /** Number of events after which the files were so. */
  readonly head: number;
  readonly steps: readonly RewindStep[];
  /** Reasons for which other files may differ from what they were: empty if all changes were seen. */
  readonly gaps: readonly string[];
}

interface History {
  readonly target: LoggedFile;
  readonly now: LoggedFile;
  /** Reason for which the content of `target` is not in the log. */
  readonly omitted?: string | undefined;
  /** Who changed it after the position: calls, which includes earlier returns, and others. */
  readonly isOurs: boolean;
  readonly isForeign: boolean;
}

const missing: LoggedFile = { hash: null, mode: '' };

/** Folds the events of a log for a return to what files were after the first `head` of them. */
export class RewindFold {
  readonly #head: number;
  readonly #files = new Map<string, History>();
  readonly #contents = new Set<string>();
  readonly #editors = new Set<string>();
  /** Calls after the position whose changes outside of the workspace nothing prevented. */
  readonly #unseen = new Set<string>();
  #isPartly = false;
  #hasCalls = false;

  constructor(head: number) {
    this.#head = head;
  }

  /** Adds the next event. */
  add(event: BaseEvent, seq: number): void {
    // The files of an imported log are of another machine.
    if (importFact.read(event)) this.#files.clear();
    const isLater = seq >= this.#head;
    if (ActionEvent.is(event) && isOfEditor(event.action)) this.#editors.add(event.id);
    const effect = isLater ? effectFact.read(event) : undefined;
    if (effect) this.#hasCalls = true;
    const hasWalls = effect?.sandbox !== undefined && effect.sandbox !== 'off';
    if (effect && !hasWalls && !this.#editors.has(effect.action_id)) this.#unseen.add(effect.action_id);
    const { outside = false } = filesFact.read(event) ?? {};
    for (const change of changesOf(event)) this.#change(change, isLater, outside);
  }

  /** True if calls after the position may have changed something. */
  get hasCalls(): boolean {
    return this.#hasCalls;
  }

  /** Returns the plan; `overwritten` are paths of a person's decision, which go back although no call changed them. */
  plan(overwritten: (path: string) => boolean): RewindPlan {
    const steps = [...this.#files]
      .flatMap(([path, each]) => this.#stepFor(path, { ...each, isOurs: each.isOurs || overwritten(path) }) ?? [])
      .map((step) => (step.kind === 'conflict' && overwritten(step.path) ? withoutConflict(step) : step));
    const calls = this.#unseen.size;
    const gaps = [
      ...(calls > 0 ? [`${calls} ${calls === 1 ? 'call' : 'calls'} ran without a sandbox`] : []),
      ...(this.#isPartly ? ['the workspace has too many files to find all changes'] : []),
    ];
    return { head: this.#head, steps: steps.toSorted(byPath), gaps };
  }

  #change({ path, before, after, mode = '', content, omitted }: FileChange, isLater: boolean, outside: boolean): void {
    if (content !== undefined && after !== null) this.#contents.add(after);
    if (path === './') this.#isPartly = true;
    const earlier = this.#files.get(path);
    const now = { hash: after, mode };
    if (!isLater) {
      this.#files.set(path, { target: now, now, omitted, isOurs: false, isForeign: false });
      return;
    }
    const isFound = !earlier && before === after;
    const target = earlier?.target ?? (isFound ? now : before === null ? missing : { hash: before, mode: '' });
    const isForeign = earlier?.isForeign === true || (outside && !isFound);
    const isOurs = earlier?.isOurs === true || !outside;
    const reason = earlier ? earlier.omitted : isFound ? omitted : undefined;
    this.#files.set(path, { target, now, omitted: reason, isOurs, isForeign });
  }

  #stepFor(path: string, { target, now, omitted, isOurs, isForeign }: History): RewindStep | undefined {
    const isSame = target.hash === now.hash && (target.mode === now.mode || target.mode === '');
    if (!isOurs || path === './' || (isSame && target.hash !== 'unknown')) return undefined;
    const step = { path, before: now, after: target };
    if (!isRestorable(path)) return { ...step, kind: 'cannot', reason: 'it is not a file of the workspace' };
    if (omitted === 'ignored' || path.endsWith('/')) return { ...step, kind: 'cannot', reason: 'git ignores it' };
    if (target.hash !== null && !this.#contents.has(target.hash))
      return { ...step, kind: 'cannot', reason: `its content was not stored${omitted ? ` (${omitted})` : ''}` };
    if (isForeign) return { ...step, kind: 'conflict', reason: 'it was changed by something else since' };
    if (now.hash !== null && !this.#contents.has(now.hash))
      return { ...step, kind: 'conflict', reason: 'its present content is not stored, so that this cannot be undone' };
    return { ...step, kind: target.hash === null ? 'delete' : 'write' };
  }
}

function isOfEditor(action: ActionEvent['action']): boolean {
  return (
    action !== undefined &&
    [ApplyPatchAction, FileEditorAction, PlanningFileEditorAction].some((kind) => kind.is(action))
  );
}

function withoutConflict({ path, before, after }: RewindStep): RewindStep {
  return { path, before, after, kind: after.hash === null ? 'delete' : 'write' };
}

function byPath(left: RewindStep, right: RewindStep): number {
  return left.path < right.path ? -1 : 1;
}
