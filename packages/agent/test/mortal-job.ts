import { appendFileSync } from 'node:fs';
import { textOf } from '@varve/events';
import { defineTool } from '@varve/tools';
import * as z from 'zod';
import { defineAgent } from '../src/agent/agent.ts';
import { mortalParts, workOf, type MortalPlaces, type Point } from './mortal.ts';

/** Id of the conversation. */
export const jobConversation = '8'.repeat(32);

/** Work of a process: starts a job whose result follows, and reports on it. Jobs are lines of the file of effects. */
export async function work({ storeUrl, effects }: MortalPlaces, point: Point) {
  const deploy = defineTool({
    name: 'deploy',
    description: 'Deploys.',
    input: z.object({}),
    effect: 'write',
    completesLater: true,
    async execute(_input, { actionId }) {
      appendFileSync(effects, `${actionId}\n`);
      point();
      return 'Started.';
    },
  });
  const { modelOf } = mortalParts(effects, point);
  const model = modelOf(({ messages }) => {
    if (!messages.some(({ tool_calls: calls }) => calls)) return { calls: [{ name: 'deploy', arguments: {} }] };
    return { text: messages.some(({ content }) => textOf(content).includes('It is live.')) ? 'Live.' : 'Deploying.' };
  });
  const agent = defineAgent({ model, tools: () => [deploy] });
  return workOf(agent, { storeUrl, id: jobConversation, point }, (conversation) => conversation.send('Deploy.'));
}
