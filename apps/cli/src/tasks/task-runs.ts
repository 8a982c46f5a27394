import { readEvents, readState } from '@varve/agent';
import { eventCodec } from '@varve/events';
import { builtinKinds } from '@varve/events/kinds';
import { eventLines } from '@varve/events/text';
import type { Decision, HostedConversation } from '@varve/host';
import type { EventStore } from '@varve/storage';
import { CliError } from '../failures/cli-error.ts';
import { findConversations, type ConversationQuery } from '../conversations/find-conversations.ts';
import { metaFields } from '../conversations/meta-fields.ts';
import { exitCodes } from '../failures/exit-codes.ts';
import { openRun } from '../opening/open-run.ts';
import { lastText } from '../opening/opening-lines.ts';
import type { RunOptions } from '../opening/run-options.ts';
import { openExistingStore } from '../home/open-configured-store.ts';
import { resolveId } from '../home/resolve-id.ts';
import type { Printable } from '../terminal/output.ts';
import type { TerminalIo } from '../terminal/terminal-io.ts';
import { TaskRun, type TaskReport } from './task-run.ts';

/** Conversations of a store, and those that run for a client. */
export class TaskRuns implements AsyncDisposable {
  readonly #options: RunOptions;
  readonly io: TerminalIo;
  readonly #runs = new Map<string, TaskRun>();

  constructor(options: RunOptions, io: TerminalIo) {
    this.#options = options;
    this.io = io;
  }

  /** Starts a conversation with a task. @throws what `openRun` throws. */
  async start(task: string, options: Pick<RunOptions, 'workspace' | 'maxSteps'>): Promise<TaskRun> {
    return this.#open({ ...this.#options, ...options }, async (hosted) => void (await hosted.send(task)));
  }

  /** Continues a conversation; a message joins the run that is in progress. */
  async resume(typedId: string, message: string | undefined): Promise<TaskRun> {
    const id = await this.#id(typedId);
    const running = this.#running(id);
    if (running && message !== undefined) await running.send(message);
    if (running) return running;
    return this.#continued(id, async (hosted) => {
      if (message !== undefined) await hosted.send(message);
    });
  }

  /** Decides about the calls that wait, and continues. @throws {CliError} `usage` while the conversation runs. */
  async decide(typedId: string, decision: Decision): Promise<TaskRun> {
    const id = await this.#id(typedId);
    if (this.#running(id)) throw new CliError(exitCodes.usage, `The conversation ${id} is running.`);
    return this.#continued(id, async (hosted) => hosted.decide(decision));
  }

  /** Interrupts the run of a conversation. @throws {CliError} `usage` if it does not run here. */
  async stop(typedId: string): Promise<TaskRun> {
    const id = await this.#id(typedId);
    const running = this.#running(id);
    if (!running) throw new CliError(exitCodes.usage, `The conversation ${id} does not run here.`);
    await running.stop();
    return running;
  }

  /** Returns the run of a conversation in this process, the last one; undefined for another conversation. */
  async find(typedId: string): Promise<TaskRun | undefined> {
    return this.#runs.get(await this.#id(typedId));
  }

  /** Returns what the log of a conversation contains about its state. */
  async stored(typedId: string): Promise<TaskReport> {
    return this.#reading(async (store) => {
      const id = await resolveId(store, typedId);
      const { status, pending, view } = await readState(await store.read(id));
      const waiting = pending.map(({ event }) =>
        eventLines(event)
          .map(({ text }) => text)
          .join('\n'),
      );
      return { id, status, text: lastText(view.events), waiting };
    });
  }

  /** Returns events of a log as text, from a seq on, and the seq after them; undefined at the end. */
  async log(typedId: string, from: number, limit: number) {
    return this.#reading(async (store) => {
      const log = await store.read(await resolveId(store, typedId));
      const codec = eventCodec(builtinKinds);
      const events: string[] = [];
      const head = await log.head();
      const to = Math.min(head, from + limit);
      for await (const { event, seq } of readEvents(log.range(from, to), codec)) {
        events.push(...eventLines(event).map(({ text }) => `${seq} ${text}`));
      }
      return { events, ...(to < head && { next: to }) };
    });
  }

  /** Returns the conversations of a query. */
  async list(query: ConversationQuery) {
    return this.#reading(async (store) => {
      const { items } = await findConversations(store, query);
      return items.map(({ id, meta, updatedAt }) => {
        const { title, workspace, status } = metaFields(meta);
        return { id, title, workspace, status, updated: new Date(updatedAt).toISOString() };
      });
    });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all([...this.#runs.values()].filter((run) => run.isRunning).map(async (run) => run.stop()));
  }

  async #continued(id: string, begin: (hosted: HostedConversation) => Promise<void>): Promise<TaskRun> {
    const { workspace: _workspace, ...options } = this.#options;
    return this.#open({ ...options, resume: id }, begin);
  }

  async #open(options: RunOptions, begin: (hosted: HostedConversation) => Promise<void>): Promise<TaskRun> {
    await using open = new AsyncDisposableStack();
    const progress = { lineAbove: (line: Printable) => this.io.stderr.line(line) };
    const { hosted } = await openRun(options, { io: this.io, progress, isClient: true }, open);
    await begin(hosted);
    const run = new TaskRun(hosted, open.move(), this.io);
    this.#runs.set(run.id, run);
    return run;
  }

  #running(id: string): TaskRun | undefined {
    const run = this.#runs.get(id);
    return run?.isRunning ? run : undefined;
  }

  async #id(typedId: string): Promise<string> {
    return this.#reading(async (store) => resolveId(store, typedId));
  }

  async #reading<T>(read: (store: EventStore) => Promise<T>): Promise<T> {
    await using store = await openExistingStore(this.io, this.#options.store);
    return await read(store);
  }
}
