import { Agent, OpenAIChatCompletionsModel, Runner, setTracingDisabled, tool } from '@openai/agents';
import { OpenAI } from 'openai';
import { note } from './note.mjs';

/** The loop of the OpenAI Agents SDK, which stores nothing. */
export async function run({ url, steps, onStep }) {
  setTracingDisabled(true);
  const client = new OpenAI({ baseURL: `${url}/v1`, apiKey: 'none' });
  let step = 0;
  const execute = async () => {
    onStep();
    step += 1;
    return note.result;
  };
  const { name, description, parameters } = note;
  const agent = new Agent({
    name: 'bench',
    model: new OpenAIChatCompletionsModel(client, 'bench'),
    tools: [tool({ name, description, parameters, strict: true, execute })],
  });
  const runner = new Runner({ tracingDisabled: true });
  await runner.run(agent, note.task, { maxTurns: steps }).catch((error) => {
    if (step < steps) throw error;
  });
}
