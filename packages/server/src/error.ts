import { CodedError } from '@varve/text';

/** Reasons why a server cannot start. */
export type ServerErrorCode =
  /** An invalid option: no key, a key that a header cannot contain, an invalid origin. */
  | 'invalid'
  /** Other machines could reach the server, and no key was configured. */
  | 'key-needed'
  /** Listening on the address failed. */
  | 'address'
  /** The web front end cannot be downloaded. */
  | 'front-end';

/** A server that cannot start. The message is one sentence that names the thing and the value, never a key. */
export class ServerError extends CodedError<ServerErrorCode> {
  override readonly name = 'ServerError';
}

/** Reasons for which the server refuses a request that matches its schema, with the status of the response. */
const statuses = {
  /** A value that only the server can check. */
  invalid: 422,
  /** The operation does not apply to this conversation. */
  unsupported: 400,
  /** A path or form that cannot be used. */
  path: 400,
  /** A path that the server may not use. */
  forbidden: 403,
  /** A body beyond the limits. */
  'too-large': 413,
  /** Something that the request names does not exist. */
  unknown: 404,
  /** The state of the conversation does not allow it now. */
  conflict: 409,
  /** The model, or another server that the operation needs, failed. */
  failed: 500,
  /** The server is stopping. */
  stopping: 503,
} as const;
export type RequestErrorCode = keyof typeof statuses;

/** Options of {@link RequestError}. */
export interface RequestErrorOptions extends ErrorOptions {
  readonly fields?: Readonly<Record<string, unknown>>;
}

/** A request that the server refuses. The message is one sentence for the client, without secrets. */
export class RequestError extends CodedError<RequestErrorCode> {
  override readonly name = 'RequestError';
  /** Fields of the detail, next to the message, where the protocol has some. */
  readonly fields: Readonly<Record<string, unknown>> | undefined;

  constructor(code: RequestErrorCode, message: string, options: RequestErrorOptions = {}) {
    super(code, message, options);
    this.fields = options.fields;
  }

  get status(): (typeof statuses)[RequestErrorCode] {
    return statuses[this.code];
  }
}

/** Returns a handler of errors that returns a value for a file that does not exist. */
export function ifMissing<Value>(value: Value): (error: NodeJS.ErrnoException) => Value {
  return (error) => {
    if (error.code === 'ENOENT') return value;
    throw error;
  };
}
