import type { PrivateRecords } from '@varve/settings/secrets';
import { unlessMissing } from '@varve/storage/kit';
import type { ConversationSources } from '../../reference/info/conversation-folds.ts';
import { readInfo } from '../../reference/info/info-of.ts';
import { keyedQueue, taskQueue } from '@varve/host/kit';
import type { RunningTasks } from '../../hosting/task-lists.ts';
import { liveLogs, type LiveLogs } from '../live-logs.ts';
import { deliveryHeaders, type DeliveryParts } from './delivery-headers.ts';
import { DeliveryLog, type Delivery } from './delivery-log.ts';
import { positionRecords, positionsOf, type PositionRecords, type Positions } from './positions.ts';
import { sendToAll, type Transmission } from './send-events.ts';
import type { WebhookOptions } from './webhook-options.ts';
import { WebhookQueue, type QueueContext, type QueueParts } from './webhook-queue.ts';

/** Options of {@link Webhooks}. */
export interface WebhooksOptions extends ConversationSources, DeliveryParts {
  readonly webhooks: readonly WebhookOptions[];
  readonly context: QueueContext;
  /** Stores the positions of the receivers of a conversation, by its id. */
  readonly positions: PrivateRecords;
  /** Opens the list of the conversations that this server sends; `takeOver` receives those of servers that ended. */
  readonly openTasks?: ((takeOver: (id: string) => Promise<void>) => RunningTasks) | undefined;
  /** Calls a function repeatedly, until the result is disposed. */
  readonly every: (ms: number, tick: () => void) => Disposable;
}

/** Transmission of the events of a conversation from positions. */
interface Sending extends Transmission {
  readonly positions: Positions;
  readonly ended: Promise<void>;
}

/** Interval in which positions are stored, and in which conversations are sent again. */
const tickMs = 5_000;
/** Closed conversations that are sent again at a time. */
const mostAgain = 20;
/** Conversations that are looked at in an interval: others may hold them. */
const mostLooks = 200;

/**
 * Sends events and changes of conversations to the receivers of a server; nothing of it fails a request. Each event is
 * sent at least once and in order, from positions that outlive the server: by the server that opens the conversation,
 * else by the one that takes over the list of one that ended.
 */
export class Webhooks {
  readonly #options: WebhooksOptions;
  readonly #logs: ReadonlyMap<WebhookOptions, DeliveryLog>;
  readonly #changes: readonly WebhookQueue[];
  readonly #streams: LiveLogs;
  readonly #positions: PositionRecords;
  readonly #inOrder = keyedQueue();
  readonly #oneByOne = taskQueue();
  /** Open conversations, with the seq of the first event for receivers without a stored position. */
  readonly #open = new Map<string, number>();
  readonly #sendings = new Map<string, Sending>();
  /** Conversations that are sent again. */
  readonly #owed = new Set<string>();
  /** Conversations whose positions are not stored. */
  readonly #changed = new Set<string>();
  #tasks: RunningTasks | undefined;
  #timer: Disposable | undefined;

  constructor(options: WebhooksOptions) {
    this.#options = options;
    this.#streams = liveLogs(options);
    this.#positions = positionRecords(options.positions, options.context.onFailure);
    this.#logs = new Map(options.webhooks.map((each) => [each, new DeliveryLog(options.now)]));
    this.#changes = options.webhooks.map((each) => this.#queue(each, 'conversations', { content: 'documents' }));
  }

  /** Returns the last deliveries of this process to each receiver, the last one first. */
  deliveries(): readonly (readonly [receiver: WebhookOptions, deliveries: readonly Delivery[]])[] {
    return [...this.#logs].map(([receiver, log]) => [receiver, log.last]);
  }

  /** Sends what servers that ended have not sent. Idempotent. */
  start(): void {
    const { webhooks, openTasks, every } = this.#options;
    if (webhooks.length === 0) return;
    this.#tasks ??= openTasks?.(async (id) => {
      await this.#tasks?.begin(id);
      if (!this.#sendings.has(id)) this.#owed.add(id);
    });
    this.#timer ??= every(tickMs, () => this.#tick());
  }

  /** Sends the events of a conversation from now on; those of a new one from its first. Idempotent. */
  async watch(id: string, from: 'start' | 'now'): Promise<void> {
    const { webhooks, context } = this.#options;
    this.start();
    if (webhooks.length > 0) await this.#inOrder(id, () => this.#watch(id, from)).catch(context.onFailure);
  }

  /** Sends the info of a conversation, with another status if given. */
  async notify(id: string, status?: string): Promise<void> {
    const { webhooks, context } = this.#options;
    if (webhooks.length > 0) await this.#notify(id, status).catch(context.onFailure);
  }

  /** Sends what is stored of a conversation, and nothing after that. A receiver that fails is not waited for. */
  async unwatch(id: string): Promise<void> {
    if (this.#options.webhooks.length === 0) return;
    await this.#inOrder(id, async () => {
      this.#open.delete(id);
      const sending = this.#sendings.get(id);
      sending?.stop.abort();
      await sending?.followed;
    });
  }

  /** Sends what waits; the signal ends that. */
  async close(signal: AbortSignal): Promise<void> {
    this.#timer?.[Symbol.dispose]();
    const sendings = [...this.#sendings.values()];
    const halt = (): void => sendings.forEach((sending) => sending.halt.abort());
    signal.addEventListener('abort', halt, { once: true });
    if (signal.aborted) halt();
    for (const { stop } of sendings) stop.abort();
    await Promise.all([...sendings.map(({ ended }) => ended), ...this.#changes.map((queue) => queue.close(signal))]);
    signal.removeEventListener('abort', halt);
    await this.#tasks?.[Symbol.asyncDispose]();
  }

  #queue(receiver: WebhookOptions, path: string, parts: Pick<QueueParts, 'content' | 'onSent'>): WebhookQueue {
    const { context, now } = this.#options;
    const headers = deliveryHeaders(receiver, this.#options);
    const log = this.#logs.get(receiver) ?? new DeliveryLog(now);
    return new WebhookQueue(`${receiver.base_url}/${path}`, receiver, { headers, log, context, ...parts });
  }

  async #notify(id: string, status: string | undefined): Promise<void> {
    const { store, folds } = this.#options;
    const summary = await unlessMissing(store.summary(id));
    if (!summary) return;
    const info = await readInfo(summary, { store, folds }, { includeSkills: false });
    const body = JSON.stringify(status === undefined ? info : { ...info, execution_status: status });
    for (const queue of this.#changes) queue.add(body);
  }

  async #watch(id: string, from: 'start' | 'now'): Promise<void> {
    const head = await this.#head(id);
    if (head === undefined || this.#open.has(id)) return;
    const before = this.#sendings.get(id);
    before?.halt.abort();
    await before?.ended;
    this.#open.set(id, from === 'start' ? 0 : head);
    // It is sent later if its positions cannot be read now.
    this.#owed.add(id);
    await this.#sendOpen(id, from === 'start' ? undefined : await this.#positions.read(id));
  }

  async #sendOpen(id: string, stored: Positions | undefined): Promise<void> {
    const head = (await this.#head(id)) ?? 0;
    const positions = positionsOf(this.#options.webhooks, stored, { first: this.#open.get(id) ?? head, head });
    this.#send(id, positions);
    this.#owed.delete(id);
    await this.#tasks?.begin(id);
    await this.#positions.write(id, positions);
    // Another replica may remove them until this one has the lease.
    this.#changed.add(id);
  }

  #tick(): void {
    const { onFailure } = this.#options.context;
    for (const id of this.#changed) void this.#inOrder(id, () => this.#storeChanged(id)).catch(onFailure);
    for (const id of [...this.#owed].slice(0, mostLooks)) {
      // Added again, it is the last one.
      this.#owed.delete(id);
      void this.#oneByOne(() => this.#inOrder(id, () => this.#sendAgain(id))).catch((error: unknown) => {
        this.#owed.add(id);
        onFailure(error);
      });
    }
  }

  async #sendAgain(id: string): Promise<void> {
    if (this.#sendings.has(id)) return;
    if (this.#open.has(id)) return this.#sendOpen(id, await this.#positions.read(id));
    const isBusy = this.#sendings.size - this.#open.size >= mostAgain;
    // The holder of a conversation sends its events.
    if (isBusy || (await this.#isHeld(id))) return void this.#owed.add(id);
    const [head, stored] = [await this.#head(id), await this.#positions.read(id)];
    if (head === undefined || !stored) return this.#forget(id);
    this.#send(id, positionsOf(this.#options.webhooks, stored, { first: head, head }));
    this.#sendings.get(id)?.stop.abort();
  }

  async #head(id: string): Promise<number | undefined> {
    const log = await unlessMissing(this.#options.store.read(id));
    return log && unlessMissing(log.head());
  }

  async #storeChanged(id: string): Promise<void> {
    this.#changed.delete(id);
    const sending = this.#sendings.get(id);
    if (sending && !sending.stop.signal.aborted) await this.#positions.write(id, sending.positions);
  }

  async #forget(id: string): Promise<void> {
    // Another replica may have opened it since.
    if (!(await this.#isHeld(id))) await this.#positions.remove(id);
    this.#tasks?.end(id);
  }

  async #isHeld(id: string): Promise<boolean> {
    return (await this.#options.store.replicas?.addressOf(id)) !== undefined;
  }

  /** Sends events from the positions on, which it changes, until it is stopped. What is not sent then is owed. */
  #send(id: string, positions: Positions): void {
    const { webhooks, context } = this.#options;
    const firsts = webhooks.map(({ base_url: url }) => positions.get(url) ?? 0);
    const nexts = [...firsts];
    const receivers = webhooks.map((receiver, index) => {
      const { base_url: url } = receiver;
      const onSent = (next: number): void => {
        nexts[index] = next;
        // Several receivers may have an address: its position is that of the last one of them.
        positions.set(url, Math.min(...nexts.filter((_, at) => webhooks[at]?.base_url === url)));
        this.#changed.add(id);
      };
      return { queue: this.#queue(receiver, `events/${id}`, { onSent }), first: firsts[index] ?? 0 };
    });
    const transmission = sendToAll(id, receivers, { streams: this.#streams, onFailure: context.onFailure });
    const ended = this.#afterSending(id, transmission.isComplete, positions);
    this.#sendings.set(id, { ...transmission, positions, ended });
  }

  async #afterSending(id: string, isComplete: Promise<boolean>, positions: Positions): Promise<void> {
    let isSent = false;
    try {
      isSent = await isComplete;
      await (isSent ? this.#forget(id) : this.#positions.write(id, positions));
    } catch (error) {
      this.#options.context.onFailure(error);
    }
    // In this order: what is being sent is not sent again.
    this.#sendings.delete(id);
    if (!isSent) this.#owed.add(id);
  }
}
