/** A correction or omission made while calls were read from text. */
export type MockNotice =
  /** Text after the last call. */
  | { readonly kind: 'dropped-text'; readonly chars: number }
  /** The only call was in the reasoning, and was used. */
  | { readonly kind: 'call-in-reasoning' }
  /** A value contained a stop string, so the request was sent again without stop strings. */
  | { readonly kind: 'sent-again' }
  /** The provider rejects stop strings; later requests are sent without them. */
  | { readonly kind: 'no-stop-strings' };
