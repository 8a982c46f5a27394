import { lazy } from '@varve/events';
import * as z from 'zod';

/** Delivery of a batch or a document to a receiver, with all its attempts. */
export const delivery = lazy(() =>
  z.object({
    /** The header `webhook-id` of its attempts. */
    id: z.string(),
    /** Path below the address of the receiver. */
    path: z.string(),
    /** Time of the first attempt. */
    started_at: z.iso.datetime(),
    /** Time of the last response or failure; null before the first one. */
    ended_at: z.iso.datetime().nullable(),
    attempts: z.int(),
    state: z.enum(['sending', 'delivered', 'failed']),
    /** Status of the last response; null without a response. */
    status: z.int().nullable(),
    /** The last failure, one sentence. */
    error: z.string().nullable(),
  }),
);
export type Delivery = z.output<ReturnType<typeof delivery>>;

/** What an attempt to deliver resulted in; without an error it is delivered. */
export type AttemptResult = Pick<Delivery, 'status' | 'error'>;

/** A delivery whose attempts are added. */
export interface OpenDelivery {
  attempted(result: AttemptResult): void;
  /** Records that no further attempt follows. */
  end(): void;
}

/** Deliveries to a receiver that are kept: those of a receiver that is down are a few minutes old. */
const most = 100;

/** Keeps the last deliveries to a receiver, in the memory of this process. */
export class DeliveryLog {
  readonly #now: () => number;
  #deliveries: Delivery[] = [];

  /** @param now - Returns UTC milliseconds. */
  constructor(now: () => number) {
    this.#now = now;
  }

  /** Deliveries, the last one first. */
  get last(): readonly Delivery[] {
    return this.#deliveries.toReversed();
  }

  /** Adds a delivery, which removes the oldest one if there are many. */
  begin(id: string, path: string): OpenDelivery {
    const open: Delivery = {
      id,
      path,
      started_at: this.#time(),
      ended_at: null,
      attempts: 0,
      state: 'sending',
      status: null,
      error: null,
    };
    this.#deliveries = [...this.#deliveries.slice(1 - most), open];
    return {
      attempted: ({ status, error }) => {
        Object.assign(open, { status, error, attempts: open.attempts + 1, ended_at: this.#time() });
        if (error === null) open.state = 'delivered';
      },
      end: () => {
        if (open.state === 'sending') open.state = 'failed';
      },
    };
  }

  #time(): string {
    return new Date(this.#now()).toISOString();
  }
}
