import type { Variables } from '@varve/text';
import { baseUrlOf } from '@varve/events/specs';
import type { ModelWrapper } from '../language-model.ts';
import { explainFailures } from '../wrappers/explain-failures.ts';
import { proxyFor } from './proxy-for.ts';

/** Adds to the failure of a connection the proxy of the variables that it used. */
export function nameProxy(env: Variables): ModelWrapper {
  return (model) => {
    const proxy = proxyFor(baseUrlOf(model.spec) ?? '', env);
    if (proxy === undefined) return model;
    const sentence = `The proxy is ${proxy}.`;
    return explainFailures(({ code }) => (['unavailable', 'timeout'].includes(code) ? sentence : undefined))(model);
  };
}
