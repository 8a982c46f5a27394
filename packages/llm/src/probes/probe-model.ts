import { isLoopback } from '@varve/text';
import { apiRoot } from '../http/api-root.ts';
import type { ListModelsOptions } from './list-models.ts';
import { serverReader } from './server-reader.ts';
import { listedModel, llamaProps, lmStudioModel, ollamaModel, type ProbedCapabilities } from './server-answers.ts';

/**
 * Queries a server for the capabilities of a model: its list of models and, on this machine, the addresses of Ollama,
 * LM Studio and llama.cpp. Unknown capabilities are absent, as are all of them when the server does not answer. Never
 * rejects because of a server.
 *
 * @throws {LlmError} `bad-request` for an invalid address.
 * @see https://docs.ollama.com/api/show and https://lmstudio.ai/docs/developer/rest
 */
export async function probeModel(options: ListModelsOptions & { readonly model: string }): Promise<ProbedCapabilities> {
  const root = apiRoot(options.baseUrl);
  const server = root.replace(/\/v1$/, '');
  const { model } = options;
  const read = serverReader(options);
  const localReads = isLoopback(root)
    ? [
        read(`${server}/props`, llamaProps()),
        read(`${server}/api/v0/models`, lmStudioModel(model)),
        read(`${server}/api/show`, ollamaModel(), { model }),
      ]
    : [];
  const answers = await Promise.all([read(`${root}/models`, listedModel(model)), ...localReads]);
  return Object.assign({}, ...answers) as ProbedCapabilities;
}
