/** One thing that an event says, found in a store. */
export interface Fact {
  /** The key of a state update, `varve.…`; with a dot and the name of a member where the value has members. */
  readonly name: string;
  readonly value: string;
  /** Id of the conversation. */
  readonly conversation: string;
  readonly seq: number;
}

/** Which facts are wanted. */
export interface FactQuery {
  /** Exactly this name, such as `varve.effect.action_id`. */
  readonly name: string;
  /** Exactly this value; default any. */
  readonly value?: string;
  /** At most this many, 1 to 1000; default 100. @throws {StorageError} `invalid` for any other number. */
  readonly limit?: number;
  /** Goes on after a page: its `next`. @throws {StorageError} `invalid` for any other text. */
  readonly after?: string;
}
