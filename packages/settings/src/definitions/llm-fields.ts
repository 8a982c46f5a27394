import * as z from 'zod';
import { lazy } from '@varve/events';

const count = lazy(() => z.number().int().positive());
const price = lazy(() => z.number().min(0).max(1));
const httpUrl = lazy(() =>
  z
    .string()
    .refine((url) => /^https?:\/\//.test(url) && URL.canParse(url), 'Invalid input: expected http:// or https://')
    .refine((url) => !/\/\/[^/]*@/.test(url), 'Invalid input: expected an address without a user name or password'),
);

/** Reference to a secret: a variable, or a name in the store of secrets. */
export const secretReference = lazy(() =>
  z.string().regex(/^(?:env:[A-Za-z_][A-Za-z0-9_]*|secret:[A-Za-z][A-Za-z0-9_]{0,63})$/, {
    message: 'Invalid input: expected env:VARIABLE or secret:NAME',
  }),
);

/**
 * Fields of a model, with the names that the reference uses in its profiles and variables, and varve's own.
 *
 * @see software-agent-sdk LLM
 */
export const llmFields = {
  model: { schema: () => z.string().min(1), description: 'NAME of OpenAI, PROVIDER/NAME, or the name at base_url.' },
  base_url: { schema: httpUrl, description: 'Address of any server with the OpenAI protocol.' },
  api_key_ref: {
    schema: secretReference,
    description: 'Where the key is: env:VARIABLE, or secret:NAME in the store of secrets.',
  },
  function_calling: {
    schema: () => z.enum(['native', 'mock', 'auto']),
    description: 'Native tool calls, calls as text (mock), or native until the server rejects tools.',
  },
  api_mode: { schema: () => z.enum(['auto', 'chat', 'responses']), description: 'Protocol of the server.' },
  temperature: { schema: () => z.number().min(0).max(2), description: 'Sampling temperature.' },
  top_p: { schema: () => z.number().min(0).max(1), description: 'Nucleus sampling.' },
  reasoning_effort: {
    schema: () => z.enum(['none', 'minimal', 'low', 'medium', 'high']),
    description: 'Effort of models that reason.',
  },
  seed: { schema: () => z.number().int(), description: 'Seed of the sampling.' },
  max_input_tokens: { schema: count, description: 'Context window in tokens; default that of the model.' },
  max_output_tokens: { schema: count, description: 'Longest reply in tokens.' },
  stream: { schema: () => z.boolean(), description: 'Streams replies.' },
  omit_reasoning: {
    schema: () => z.boolean(),
    description: 'Never sends reasoning of earlier replies, also to models that continue better with it.',
  },
  vision: { schema: () => z.boolean(), description: 'The model sees images; default what is known of it.' },
  disable_vision: { schema: () => z.boolean(), description: 'Sends no images.' },
  input_cost_per_token: {
    schema: price,
    description: 'US dollars for a token of input, with that of output; default the known price.',
  },
  output_cost_per_token: { schema: price, description: 'US dollars for a token of output.' },
  timeout: { schema: () => z.number().positive().max(2_000_000), description: 'Longest call in seconds.' },
  num_retries: { schema: () => count().max(100), description: 'Attempts of one call, the first included.' },
} as const satisfies Readonly<Record<string, { readonly schema: () => z.ZodType; readonly description: string }>>;

/** Name of a field of a model. */
export type LlmField = keyof typeof llmFields;

/** Values of the fields of a model; absent ones are chosen by varve or the server. */
export type LlmValues = { readonly [Field in LlmField]?: z.output<ReturnType<(typeof llmFields)[Field]['schema']>> };
