import type { Variables } from '@varve/text';
import { baseUrlOf } from '../base-url-of.ts';
import { LlmError } from '../error.ts';
import type { ModelWrapper } from '../language-model.ts';
import { proxyFor } from './proxy-for.ts';

/** Adds to the failure of a connection the proxy of the variables that it used. */
export function nameProxy(env: Variables): ModelWrapper {
  return (model) => {
    const proxy = proxyFor(baseUrlOf(model.spec) ?? '', env);
    if (proxy === undefined) return model;
    return {
      name: model.name,
      capabilities: model.capabilities,
      spec: model.spec,
      async generate(request, options) {
        try {
          return await model.generate(request, options);
        } catch (error) {
          const isConnection = error instanceof LlmError && ['unavailable', 'timeout'].includes(error.code);
          throw isConnection ? error.explained(`The proxy is ${proxy}.`) : error;
        }
      },
    };
  };
}
