import type { Delta } from '@varve/llm';
import type { Redactor } from '@varve/text';
import type { FeedMessage } from '../feed/feed.ts';

/** Receives the pieces of one reply after the other. */
export interface DeltaSink {
  push(delta: Delta): void;
}

/**
 * Publishes the pieces of replies without secrets, also one whose spelling is spread over several pieces: a piece that
 * may be the start of a secret is published with the next one. What is held back at the end of a reply is part of its
 * stored event.
 */
export function maskedDeltas(redactor: Redactor, publish: (message: FeedMessage) => void): DeltaSink {
  let text = redactor.stream();
  let reasoning = redactor.stream();
  return {
    push(delta) {
      switch (delta.kind) {
        case 'text': {
          const content = text.push(delta.text);
          if (content !== '') publish({ kind: 'delta', content });
          break;
        }
        case 'reasoning': {
          const reasoning_content = reasoning.push(delta.text);
          if (reasoning_content !== '') publish({ kind: 'delta', reasoning_content });
          break;
        }
        case 'reset':
          text = redactor.stream();
          reasoning = redactor.stream();
          break;
        case 'tool-call':
          break;
      }
    },
  };
}
