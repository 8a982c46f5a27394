import type { Event } from '@openhands/typescript-client';

/** An event as clients receive it, with the fields of its kind. */
export type ReceivedEvent = Event & Readonly<Record<string, unknown>>;

/** Events that a socket received, in order. */
export interface EventLog {
  readonly events: readonly ReceivedEvent[];
  add(event: Event): void;
  /** Rejects every wait, also later ones. */
  fail(error: Error): void;
  /** Resolves to the first event, received before or later, that matches. */
  until(matches: (event: ReceivedEvent) => boolean): Promise<ReceivedEvent>;
  /** Resolves when the conversation has reported this status, in an update of its own or of the whole state. */
  untilStatus(status: string): Promise<ReceivedEvent>;
  onClose(stop: () => void): void;
  close(): void;
}

/** Creates an empty log. */
export function eventLog(): EventLog {
  const events: ReceivedEvent[] = [];
  const waiting = new Set<() => void>();
  const stops: (() => void)[] = [];
  let failure: Error | undefined;
  const wake = (): void => {
    for (const resume of waiting) resume();
  };
  const log: EventLog = {
    events,
    add(event) {
      events.push({ ...event });
      wake();
    },
    fail(error) {
      failure ??= error;
      wake();
    },
    until: (matches) =>
      new Promise((resolve, reject) => {
        const check = (): void => {
          const known = events.find((event) => matches(event));
          if (!known && !failure) return;
          waiting.delete(check);
          if (known) resolve(known);
          else reject(failure ?? new Error('no event'));
        };
        waiting.add(check);
        check();
      }),
    untilStatus: (status) => log.until((event) => statusOf(event) === status),
    onClose: (stop) => void stops.push(stop),
    close() {
      for (const stop of stops) stop();
    },
  };
  return log;
}

function statusOf({ kind, ...event }: ReceivedEvent): unknown {
  if (kind !== 'ConversationStateUpdateEvent') return undefined;
  const { key, value } = event;
  if (key === 'execution_status') return value;
  return key === 'full_state' && typeof value === 'object' && value && 'execution_status' in value
    ? value.execution_status
    : undefined;
}
