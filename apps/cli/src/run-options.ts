/** The options of `varve run`, as they were typed. */
export interface RunOptions {
  readonly model?: string;
  readonly baseUrl?: string;
  readonly functionCalling: 'native' | 'mock' | 'auto';
  readonly workspace?: string;
  readonly store?: string;
  /** Absent: as the conversation has it, which is `never` for a new one. */
  readonly confirm?: 'never' | 'always' | 'risky';
  readonly resume?: string;
  readonly approve?: true;
  readonly reject?: string;
  readonly maxSteps?: number;
  readonly json?: true;
}
