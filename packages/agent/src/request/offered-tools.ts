import type { ToolSpec } from '@varve/llm';
import { additionalProperties } from '@varve/text';
import type { Tool } from '@varve/tools';

const summary = {
  type: 'string',
  description: 'What this call is for, in about ten words, for the person who watches.',
};

const securityRisk = {
  type: 'string',
  enum: ['LOW', 'MEDIUM', 'HIGH', 'UNKNOWN'],
  description:
    'How dangerous this call is. LOW: only reads, or changes inside the workspace that are easy to undo. MEDIUM: changes more than that. HIGH: destroys data, leaves the workspace, uses credentials or reaches the network.',
};

/**
 * Returns a tool as the model is offered it: its own parameters after `security_risk` (unless it only reads) and
 * `summary` (unless it has one). These two come first, so that a truncated reply still contains them, and are always
 * present, so that changing a policy does not change the prompt.
 */
export function offeredTool(tool: Tool): ToolSpec {
  const { properties, ...rest } = tool.parameters as { readonly properties?: Readonly<Record<string, unknown>> };
  const fields = properties ?? {};
  // A tool that takes any parameter still does when two are described.
  const isOpen = !('additionalProperties' in rest) && additionalProperties(tool.parameters) !== undefined;
  return {
    name: tool.name,
    description: tool.description,
    parameters: {
      ...rest,
      ...(isOpen && { additionalProperties: true }),
      properties: {
        ...(!tool.annotations.readOnlyHint && !('security_risk' in fields) && { security_risk: securityRisk }),
        ...(!('summary' in fields) && { summary }),
        ...fields,
      },
    },
  };
}
