import { unknownDialect, type Dialect } from './dialect.ts';
import { dialectRules } from './dialect-rules.ts';

/**
 * How a model at an address wants to be spoken to, as far as it is known: the rules that fit, later ones winning, over what
 * unknown servers take. `root` is an http address; pure, without asking anyone.
 */
export function dialectFor({ root, model }: { readonly root: string; readonly model: string }): Dialect {
  const { host } = new URL(root);
  const name = baseName(model);
  const fitting = dialectRules.filter((rule) => (rule.host?.test(host) ?? true) && (rule.model?.test(name) ?? true));
  return Object.assign({}, unknownDialect, ...fitting.map(({ dialect }) => dialect)) as Dialect;
}

/** Routers put the maker before the model's name, and a variant after it: `moonshotai/kimi-k3:free`. */
function baseName(model: string): string {
  return (model.toLowerCase().split('/').at(-1) ?? '').replace(/:.*$/, '');
}
