import type { SettingKey } from '../definitions/settings.ts';
import type { Origin } from './origin.ts';

/** Value of one setting, and its place. */
export interface PlacedValue {
  readonly key: SettingKey;
  readonly value: unknown;
  readonly origin: Origin;
}

/** Values of one source. */
export interface Layer {
  readonly values: readonly PlacedValue[];
  /** Problems that do not prevent a run, each one sentence. */
  readonly warnings: readonly string[];
}
