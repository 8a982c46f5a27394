export { languageModelContract } from './contract/language-model-contract.ts';
export { userRequest } from './contract/model-check.ts';
export { scriptedModel } from './script/scripted-model.ts';
export { scriptedResponses } from './servers/scripted-responses.ts';
export { scriptedServer } from './servers/scripted-server.ts';
export type { ScriptedStep, ScriptedTurn } from './script/scripted-step.ts';
export type { ScriptedServer } from './servers/serve-script.ts';
