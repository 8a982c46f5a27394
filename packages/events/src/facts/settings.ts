import * as z from 'zod';
import { defineFact } from './define-fact.ts';

/**
 * Settings that steer the runs of a conversation. Stored when it is created, and before the first event that follows a
 * change. The last one applies; the `meta` that is stored next to the log is a copy of it.
 */
export const settingsFact = defineFact('varve.settings', () =>
  z.strictObject({
    /** Working directory of the agent. */
    workspace: z.string(),
    /** Spec of the agent: model, confirmation policy, risk analyzer, limits and stuck rules. */
    agent: z.record(z.string(), z.unknown()),
    /** Specs of the tools that the client executes. */
    client_tools: z.exactOptional(z.array(z.record(z.string(), z.unknown()))),
    /** Id of the parent conversation. */
    parent: z.exactOptional(z.string()),
  }),
);
export type ConversationSettings = NonNullable<ReturnType<typeof settingsFact.read>>;
