export { languageModelContract } from './language-model-contract.ts';
export { asking, type ModelCheck, type OpenedModel, type OpenModel } from './model-check.ts';
export { inEights, type Split } from './pieces-of.ts';
export { scriptedModel, type ScriptedModel, type ScriptedModelOptions } from './scripted-model.ts';
export { scriptedResponses } from './scripted-responses.ts';
export { scriptedServer, type ScriptedServerOptions } from './scripted-server.ts';
export type { Fault, ScriptedCall, ScriptedError, ScriptedStep, ScriptedTurn } from './scripted-step.ts';
export type { RecordedRequest, ScriptedServer } from './serve-script.ts';
