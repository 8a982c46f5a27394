import { Agent } from '@earendil-works/pi-agent-core';
import { streamSimple } from '@earendil-works/pi-ai/compat';
import { note } from './note.mjs';

/** The loop of pi, which streams and stores nothing. */
export async function run({ url, steps, onStep }) {
  let step = 0;
  const execute = async () => {
    onStep();
    step += 1;
    const content = [{ type: 'text', text: note.result }];
    return { content, details: undefined, ...(step >= steps && { terminate: true }) };
  };
  const cost = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 };
  const limits = { cost, reasoning: false, input: ['text'], contextWindow: 10_000_000, maxTokens: 8192 };
  const model = { id: 'bench', name: 'bench', api: 'openai-completions', provider: 'bench', ...limits };
  const { name, description, parameters } = note;
  const tools = [{ name, label: name, description, parameters, execute }];
  const initialState = {
    systemPrompt: 'You are an agent.',
    model: { ...model, baseUrl: `${url}/v1` },
    tools,
    thinkingLevel: 'off',
  };
  const agent = new Agent({ initialState, streamFn: streamSimple, getApiKey: () => 'none' });
  await agent.prompt(note.task);
  if (agent.state.errorMessage) throw new Error(agent.state.errorMessage);
}
