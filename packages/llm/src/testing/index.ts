export { languageModelContract } from './language-model-contract.ts';
export { asking, type ModelCheck, type OpenedModel, type OpenModel } from './model-check.ts';
export { inEights, type Split } from './pieces-of.ts';
export { scriptedModel, type ScriptedModel, type ScriptedModelOptions } from './scripted-model.ts';
export { scriptedResponses } from './scripted-responses.ts';
export {
  scriptedServer,
  type RecordedRequest,
  type ScriptedServer,
  type ScriptedServerOptions,
} from './scripted-server.ts';
export type { Fault, ScriptedCall, ScriptedError, ScriptedStep, ScriptedTurn } from './scripted-step.ts';
