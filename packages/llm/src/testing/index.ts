export { languageModelContract } from './contract/language-model-contract.ts';
export { userRequest, type ModelCheck, type OpenedModel, type OpenModel } from './contract/model-check.ts';
export { eightCharChunks, type Split } from './script/turn-deltas.ts';
export { scriptedModel, type ScriptedModel, type ScriptedModelOptions } from './script/scripted-model.ts';
export { scriptedResponses } from './servers/scripted-responses.ts';
export { scriptedServer, type ScriptedServerOptions } from './servers/scripted-server.ts';
export type { Fault, ScriptedCall, ScriptedError, ScriptedStep, ScriptedTurn } from './script/scripted-step.ts';
export type { RecordedRequest, ScriptedServer } from './servers/serve-script.ts';
