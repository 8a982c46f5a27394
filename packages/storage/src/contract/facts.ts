/**
 * A text that an event states under a name: the value of a state update whose key begins with `varve.`, a member of
 * that value, or an item of a list in it.
 */
export interface Fact {
  /** The key of the state update, `varve.…`; for a member of its value, followed by a dot and the member's name. */
  readonly name: string;
  readonly value: string;
  /** Id of the conversation. */
  readonly conversation: string;
  readonly seq: number;
}

/** Filter and page of a search for facts. */
export interface FactQuery {
  /** Exact name, such as `varve.effect.action_id`. */
  readonly name: string;
  /** Exact value; default: any value. */
  readonly value?: string;
  /** Maximum number of items, 1 to 1000; default 100. @throws {StorageError} `invalid` for any other number. */
  readonly limit?: number;
  /** Continues after a page: its `next`. @throws {StorageError} `invalid` for any other text. */
  readonly after?: string;
}
