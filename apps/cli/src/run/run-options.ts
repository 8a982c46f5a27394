/** Options of `varve run`. */
export interface RunOptions {
  readonly model?: string;
  readonly baseUrl?: string;
  readonly functionCalling: 'native' | 'mock' | 'auto';
  readonly workspace?: string;
  readonly store?: string;
  /** Confirmation policy; default: the stored one, or `never` for a new conversation. */
  readonly confirm?: 'never' | 'always' | 'risky';
  readonly resume?: string;
  readonly approve?: true;
  readonly reject?: string;
  /** Names of variables that the agent's shell gets although they may contain credentials. */
  readonly env?: readonly string[];
  readonly maxSteps?: number;
  readonly sign?: true;
  readonly json?: true;
}
