import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { ModelRequest } from '@varve/llm';
import type { ScriptedStep, ScriptedTurn } from '@varve/llm/testing';
import { expect } from 'vitest';

/** What the tests read of an event. */
export interface Shown {
  readonly kind: string;
  readonly source: string;
}

/** Conversations whose steps last longer than any wait, and the model that they ask. */
export interface LongSteps {
  readonly script: Generator<ScriptedStep>;
  /** Messages of the conversations: one waits for a reply, and one for a command. */
  readonly texts: readonly string[];
  /** Resolves when both steps are in progress. */
  readonly inProgress: () => Promise<void>;
  /** Lets what the model is asked next end its run. */
  readonly resume: () => void;
}

/** Creates the script; the command creates a file in the directory. */
export function longSteps(directory: () => string): LongSteps {
  const asked = Promise.withResolvers<void>();
  const started = (): string => join(directory(), 'started');
  let isResumed = false;
  const reply = ({ messages }: ModelRequest): ScriptedTurn => {
    if (isResumed) return { calls: [{ name: 'finish', arguments: { message: 'Done.' } }] };
    if (JSON.stringify(messages).includes('Command.')) {
      return { calls: [{ name: 'terminal', arguments: { command: `touch '${started()}'; sleep 600` } }] };
    }
    asked.resolve();
    return { fault: { kind: 'hang', afterPieces: 0 } };
  };
  function* script(): Generator<ScriptedStep> {
    for (;;) yield reply;
  }
  return {
    script: script(),
    texts: ['Reply.', 'Command.'],
    async inProgress() {
      await asked.promise;
      await expect.poll(() => existsSync(started())).toBe(true);
    },
    resume: () => void (isResumed = true),
  };
}

/** Returns the events that only a user causes, except messages. */
export function unwantedIn(events: readonly Shown[]): readonly Shown[] {
  const causes = new Set(['InterruptEvent', 'PauseEvent']);
  return events.filter(({ kind, source }) => causes.has(kind) || (source === 'user' && kind !== 'MessageEvent'));
}
