import type { ConfirmMode } from './confirm-modes.ts';

/** Options of `varve run`. */
export interface RunOptions {
  readonly model?: string;
  readonly baseUrl?: string;
  readonly functionCalling?: 'native' | 'mock' | 'auto';
  readonly workspace?: string;
  readonly store?: string;
  /** Confirmation policy; default: the stored one, or `auto` for a new conversation. */
  readonly confirm?: ConfirmMode;
  /** Profile of the sandbox; default: the setting. */
  readonly sandbox?: 'off' | 'read-only' | 'workspace';
  /** URL of the agent-server on which the tools work; default: the setting. */
  readonly workspaceServer?: string;
  readonly resume?: string;
  /** Id of a new conversation; default: a random one. */
  readonly newId?: string;
  /** Meaning of a reply without calls; default: the setting. */
  readonly textReply?: 'finish' | 'wait' | 'continue';
  /** Digest of the approved calls; `true` when it is missing, which is an error. */
  readonly approve?: string | true;
  readonly reject?: string;
  /** Hooks of a resumed conversation; default: those that it was used with. */
  readonly hooks?: 'current' | 'none';
  /** Names of variables that the agent's shell gets although they may contain credentials. */
  readonly env?: readonly string[];
  readonly maxSteps?: number;
  /** US dollars of this command. */
  readonly maxCost?: number;
  /** Tokens in and out of this command. */
  readonly maxTokens?: number;
  /** Seconds that this command works. */
  readonly timeout?: number;
  /** The task is an objective; without one the interrupted goal continues. */
  readonly goal?: true;
  /** Maximum number of rounds of a goal. */
  readonly maxRounds?: number;
  /** Ends with the status of an unfinished run unless a check passed after the last change of a file. */
  readonly requireFreshCheck?: true;
  /** Model profile. */
  readonly profile?: string;
  /** Agent profile. */
  readonly agentProfile?: string;
  /** Any other settings, `KEY=VALUE`. */
  readonly set?: readonly string[];
  readonly sign?: true;
  readonly json?: true;
  /** File with the JSON Schema of the answer. */
  readonly outputSchema?: string;
  /** Names of the tools of a new conversation. */
  readonly tools?: readonly string[];
  /** Meaning of standard input; default: text. */
  readonly inputFormat?: 'text' | 'stream-json';
  /** Set by `varve demo`, whose model server ends with it: no hint how to resume. */
  readonly demo?: true;
}
