// Runs a coding agent on a real model, for example: LLM_MODEL=openai/gpt-5 LLM_API_KEY=… node 00-hello.ts
import { createAgent } from '@varve/agent';

const { LLM_MODEL: model = 'openai/gpt-5', LLM_API_KEY: apiKey, LLM_BASE_URL: baseUrl } = process.env;
await using agent = createAgent({ model, apiKey, baseUrl, keys: process.env });

const { text } = await agent.run('List the files of this directory, and describe the project in one sentence.');
console.log(text);
