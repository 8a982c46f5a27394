import { StorageError } from '@varve/storage';
import type { WebSocket } from 'ws';
import type { Frame } from '../streams/frame.ts';
import type { Sink } from '../streams/follow-log.ts';
import { closeSocket } from './close-socket.ts';
import type { SocketLimits } from './limits.ts';

/** Options of `socketSink`. */
export interface SocketSinkOptions {
  /** Encoding of the frames: events alone, or with their seq. */
  readonly form: 'plain' | 'numbered';
  readonly limits: Pick<SocketLimits, 'waitingBytes' | 'historyBytes'>;
}

/** Sends frames to a client, and disconnects it when too many bytes wait for it. */
export function socketSink(socket: WebSocket, { form, limits }: SocketSinkOptions): Sink {
  const closed = new AbortController();
  let wake: (() => void) | undefined;
  const sent = (): void => wake?.();
  socket.once('close', () => {
    closed.abort();
    sent();
  });
  const isBusy = (): boolean => socket.readyState === socket.OPEN && socket.bufferedAmount > limits.historyBytes;
  return {
    closed: closed.signal,
    send(frame: Frame) {
      const data = frame[form];
      if (data === undefined || socket.readyState !== socket.OPEN) return;
      if (socket.bufferedAmount > limits.waitingBytes) socket.terminate();
      else socket.send(data, { binary: false }, sent);
    },
    async drained() {
      while (isBusy()) {
        const { promise, resolve } = Promise.withResolvers<void>();
        wake = resolve;
        await promise;
      }
    },
    fail(error) {
      // As with the reference, the sockets of a removed conversation stay open.
      if (error instanceof StorageError && error.code === 'missing') return;
      closeSocket(socket, 'failed', 'The events cannot be read.');
    },
  };
}
