/** A piece of a reply under way. */
export type Delta =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'reasoning'; readonly text: string }
  /** `index` counts the calls of the reply from 0; `name` comes whole, with a call's first piece and no other. */
  | { readonly kind: 'tool-call'; readonly index: number; readonly name?: string; readonly arguments: string }
  /** Forget every piece so far: the request is sent again. */
  | { readonly kind: 'reset'; readonly reason: string };
