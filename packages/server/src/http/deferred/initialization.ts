import { ServerError } from '../../error.ts';
import { RequestError } from '../../error.ts';
import type { InitRequest, InitStatus } from './init-request.ts';

/** Start of a server, which may wait for its configuration. */
export interface Initialization {
  /** False for a server that is started with its configuration: its routes of initialization do not exist. */
  readonly isDeferred: boolean;
  readonly status: InitStatus;
  /** Returns true for the key of the request that configures the server. Default: one of the keys of the server. */
  readonly isKey?: (key: string) => boolean;
  /**
   * Configures and starts the server. After a failure it waits again.
   *
   * @throws {RequestError} `unsupported` unless it waits, `invalid` for a value that cannot be used; what starting
   * it throws.
   */
  start(request: InitRequest): Promise<void>;
}

/** Initialization of a server that was started with its configuration. */
export const initialized: Initialization = {
  isDeferred: false,
  status: { state: 'ready', error: null },
  start: async () => {
    throw notDormant();
  },
};

/** Parts of a deferred initialization. */
export interface DeferredOptions {
  readonly isKey: (key: string) => boolean;
  readonly start: (request: InitRequest) => Promise<void>;
}

/** Creates the initialization of a server that `start` configures and starts. */
export function deferredInitialization({ isKey, start }: DeferredOptions): Initialization {
  let status: InitStatus = { state: 'dormant', error: null };
  return {
    isDeferred: true,
    isKey,
    get status() {
      return status;
    },
    async start(request) {
      if (status.state !== 'dormant') throw notDormant();
      status = { state: 'initializing', error: null };
      try {
        await start(request);
        status = { state: 'ready', error: null };
      } catch (cause) {
        const isInvalid = cause instanceof ServerError && cause.code === 'invalid';
        // The state needs no key, so it does not contain paths.
        status = { state: 'dormant', error: isInvalid ? cause.message : 'The server could not be started.' };
        throw isInvalid ? new RequestError('invalid', cause.message, { cause }) : cause;
      }
    },
  };
}

function notDormant(): RequestError {
  return new RequestError('unsupported', 'The server does not wait for its configuration.');
}
