export { aiSdkModel, type AiSdkModelOptions } from './model/ai-sdk-model.ts';
