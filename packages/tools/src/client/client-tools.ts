import type { Tool } from '../contract/tool.ts';
import { ToolError } from '../contract/error.ts';
import { clientToolSpec } from './client-tool-spec.ts';
import { clientTool } from './client-tool.ts';

/**
 * Returns the client tools of one conversation, in the order of `specs`, which may have any form that
 * {@link clientToolSpec} parses. `otherTools` are the remaining tools of the conversation.
 *
 * @throws {ToolError} `unusable` when a spec cannot be used, or two tools have the same name.
 */
export function clientTools(specs: readonly unknown[], otherTools: readonly Tool[] = []): readonly Tool[] {
  const taken = new Set(otherTools.map(({ name }) => name));
  return specs.map((json) => {
    const spec = clientToolSpec(json);
    if (taken.has(spec.name)) throw new ToolError('unusable', `Two tools of one conversation are called ${spec.name}.`);
    taken.add(spec.name);
    return clientTool(spec);
  });
}
