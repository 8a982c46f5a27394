export { uiMessages } from './ui/ui-messages.ts';
export { uiMessageStream } from './ui/ui-message-stream.ts';
export { languageModelOf } from './model/language-model-of.ts';
export { aiSdkModel, type AiSdkModelOptions } from './model/ai-sdk-model.ts';
