import { key } from './replica-group.ts';

/** An event as a client receives it, with its position. */
export interface SeenEvent {
  readonly seq: number;
  readonly id: string;
  /** Time at which it was received, in UTC milliseconds. */
  readonly at: number;
}

/** Events of a conversation that a client received. */
export interface Followed {
  readonly events: readonly SeenEvent[];
  /** Resolves with the events when they fulfil a condition, and disconnects. */
  until(isDone: (events: readonly SeenEvent[]) => boolean): Promise<readonly SeenEvent[]>;
  /** Disconnects. */
  stop(): void;
}

/** Follows a conversation by a socket, which is opened again after the last position when it ends. */
export function followedEvents(url: string, id: string): Followed {
  const events: SeenEvent[] = [];
  const waiting = new Set<() => void>();
  let isStopped = false;
  let socket: WebSocket | undefined;
  const open = (): void => {
    if (isStopped) return;
    const last = events.at(-1)?.seq ?? -1;
    const query = `after_seq=${last}&session_api_key=${key}`;
    socket = new WebSocket(`${url.replace('http', 'ws')}/sockets/events/${id}?${query}`);
    socket.addEventListener('message', ({ data }) => {
      const { seq, event } = JSON.parse(String(data)) as {
        readonly seq?: number;
        readonly event?: { readonly id: string };
      };
      if (seq === undefined || !event) return;
      events.push({ seq, id: event.id, at: Date.now() });
      for (const check of waiting) check();
    });
    // A replica that cannot be reached ends the socket as well.
    socket.addEventListener('close', () => setTimeout(open, 50));
    socket.addEventListener('error', () => {});
  };
  open();
  const stop = (): void => {
    isStopped = true;
    socket?.close();
  };
  return {
    events,
    stop,
    async until(isDone) {
      const { promise, resolve } = Promise.withResolvers<void>();
      const check = (): void => void (isDone(events) && resolve());
      waiting.add(check);
      check();
      await promise;
      stop();
      return events;
    },
  };
}
