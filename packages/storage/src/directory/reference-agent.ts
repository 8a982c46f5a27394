import { asRecord, type JsonRecord } from './json-record.ts';

/**
 * An agent that the reference can load, as far as the specification of ours says: the model, and how often it may go on.
 * Tools are left out, because the reference refuses a conversation with a tool that it does not know. Keys are never in
 * a specification.
 *
 * @see software-agent-sdk openhands/sdk/agent/base.py, openhands/sdk/llm/llm.py (fields left out have defaults there)
 */
export function referenceAgent(spec: JsonRecord | undefined): JsonRecord {
  const model = innermost(asRecord(spec?.['model']));
  const name = [model['model'], model['name']].find((value) => typeof value === 'string') ?? 'unknown';
  const isOpenAi = model['kind'] === 'openai-chat';
  return {
    llm: {
      // The reference chooses how to talk by a prefix.
      model: isOpenAi ? `openai/${name}` : name,
      ...(typeof model['baseUrl'] === 'string' && { base_url: model['baseUrl'] }),
      usage_id: 'agent',
    },
    tools: [],
    mcp_config: {},
    include_default_tools: ['FinishTool', 'ThinkTool'],
    system_prompt_filename: 'system_prompt.j2',
    security_policy_filename: 'security_policy.j2',
    system_prompt_kwargs: { llm_security_analyzer: true },
    tool_concurrency_limit: 1,
    kind: 'Agent',
  };
}

/** Wrappers, such as one that retries, hold the specification of the model they wrap. */
function innermost(spec: JsonRecord | undefined): JsonRecord {
  const inner = asRecord(spec?.['model']);
  return inner ? innermost(inner) : (spec ?? {});
}
