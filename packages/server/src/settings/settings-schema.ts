import { z } from '@hono/zod-openapi';
import { lazy } from '@varve/events';
import { llmFields } from '@varve/settings';

const valueTypes = ['string', 'integer', 'number', 'boolean', 'array', 'object'] as const;

const field = lazy(() =>
  z.object({
    key: z.string(),
    label: z.string(),
    description: z.string().nullable(),
    section: z.string(),
    section_label: z.string(),
    value_type: z.enum(valueTypes),
    default: z.unknown(),
    prominence: z.enum(['critical', 'major', 'minor']),
    depends_on: z.array(z.string()),
    secret: z.boolean(),
    choices: z.array(z.object({ value: z.string(), label: z.string() })),
    variant: z.string().nullable(),
  }),
);
type Field = z.output<ReturnType<typeof field>>;

/** Description of settings from which clients make forms. @see agent-server 1.43.1 OpenAPI, SettingsSchema */
export const settingsSchema = lazy(() =>
  z
    .object({
      model_name: z.string(),
      sections: z.array(
        z.object({ key: z.string(), label: z.string(), fields: z.array(field()), variant: z.string().nullable() }),
      ),
    })
    .openapi('SettingsSchema'),
);

/** A field in short; the rest has defaults. */
type Given = Partial<Field> & Pick<Field, 'key' | 'value_type'>;

function section(key: string, label: string, sources: readonly Given[]) {
  const fields = sources.map((source): Field => ({
    label: labelOf(source.key),
    description: null,
    section: key,
    section_label: label,
    default: null,
    prominence: 'minor',
    depends_on: [],
    secret: false,
    choices: [],
    variant: null,
    ...source,
  }));
  return { key, label, fields, variant: null };
}

/** Returns `Max input tokens` for `llm.max_input_tokens`. */
function labelOf(key: string): string {
  const words = key.slice(key.lastIndexOf('.') + 1).replaceAll('_', ' ');
  return words.charAt(0).toUpperCase() + words.slice(1);
}

function choices(...values: readonly string[]): Field['choices'] {
  return values.map((value) => ({ value, label: labelOf(value) }));
}

/** Fields of the model for forms: those of settings, with their descriptions. */
const modelFields: readonly Given[] = (
  ['timeout', 'num_retries', 'max_input_tokens', 'max_output_tokens'] as const
).map((name) => ({ key: `llm.${name}`, value_type: 'integer', description: llmFields[name].description }));

/** Settings of agents. */
export const agentSchema: z.output<ReturnType<typeof settingsSchema>> = {
  model_name: 'AgentSettings',
  sections: [
    section('general', 'General', [
      { key: 'tool_concurrency_limit', value_type: 'integer', default: 1, description: 'Calls that run concurrently.' },
      { key: 'enable_sub_agents', value_type: 'boolean', default: false },
    ]),
    section('llm', 'LLM', [
      { key: 'llm.model', value_type: 'string', default: 'gpt-5.5', prominence: 'critical', label: 'Model' },
      { key: 'llm.api_key', value_type: 'string', prominence: 'critical', secret: true, label: 'API key' },
      { key: 'llm.base_url', value_type: 'string', prominence: 'critical', label: 'Base URL' },
      { key: 'llm.temperature', value_type: 'number', description: llmFields.temperature.description },
      {
        key: 'llm.reasoning_effort',
        value_type: 'string',
        default: 'high',
        choices: choices('low', 'medium', 'high', 'xhigh', 'none'),
      },
      ...modelFields,
    ]),
    section('condenser', 'Condenser', [
      { key: 'condenser.enabled', value_type: 'boolean', default: true, prominence: 'major' },
      { key: 'condenser.max_size', value_type: 'integer', default: 240, depends_on: ['condenser.enabled'] },
    ]),
    section('mcp', 'MCP', [{ key: 'mcp_config', value_type: 'object', default: {}, prominence: 'major' }]),
  ],
};

/** Settings of conversations. */
export const conversationSchema: z.output<ReturnType<typeof settingsSchema>> = {
  model_name: 'ConversationSettings',
  sections: [
    section('general', 'General', [
      {
        key: 'max_iterations',
        value_type: 'integer',
        default: 500,
        prominence: 'major',
        description: 'Steps of a run.',
      },
    ]),
    section('verification', 'Verification', [
      { key: 'confirmation_mode', value_type: 'boolean', default: true, prominence: 'major' },
      {
        key: 'security_analyzer',
        value_type: 'string',
        default: 'llm',
        choices: choices('llm', 'none'),
        depends_on: ['confirmation_mode'],
      },
    ]),
  ],
};
