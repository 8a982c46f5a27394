/** Something that was put right or left out while calls were read from text. */
export type MockNotice =
  /** Text after the last call. */
  | { readonly kind: 'dropped-text'; readonly chars: number }
  /** Given twice; the last value counts. */
  | { readonly kind: 'repeated-parameter'; readonly call: string; readonly parameter: string }
  /** Nothing but the reasoning held a call, so that was taken. */
  | { readonly kind: 'call-in-reasoning' }
  /** A value held a stop string, so the request was sent again without. */
  | { readonly kind: 'sent-again' }
  /** The provider takes no stop strings; none are sent from now on. */
  | { readonly kind: 'no-stop-strings' };
