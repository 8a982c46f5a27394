import type { ToolSpec } from '../model-request.ts';
import { propertiesOf } from './json-schema.ts';
import { knownName } from './read-calls.ts';
import type { KnownNames } from './function-tags/scan-parameter.ts';

/** The names that may stand in a call of a tool. Where the tool names its parameters, only those can come. */
export function namesIn(tools: ReadonlyMap<string, ToolSpec>, tool: string): KnownNames {
  const names = Object.keys(propertiesOf(tools.get(tool)?.parameters ?? {}));
  return {
    isTool: (name) => tools.has(name),
    isParameter: (name) => names.length === 0 || knownName(name, names) !== undefined,
  };
}
