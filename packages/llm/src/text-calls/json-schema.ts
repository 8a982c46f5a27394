/** A JSON Schema, as far as values written as text can be read by it. */
export type Schema = Readonly<Record<string, unknown>>;

/** Where `$ref` is looked up: the parameters of a tool. */
export type SchemaRoot = Schema;

/** The schema behind references within its tool; an unknown or endless one is the schema of any value. */
export function resolved(schema: unknown, root: SchemaRoot): Schema {
  let current = schema;
  for (let depth = 0; depth < 20; depth += 1) {
    if (!isSchema(current)) return {};
    const target = current['$ref'];
    if (typeof target !== 'string') return current;
    current = target.startsWith('#/') ? found(root, target.slice(2).split('/')) : undefined;
  }
  return {};
}

/** The schemas of which a value must fit one: those of `anyOf` and `oneOf`, and one per type of a list of types. */
export function alternatives(schema: unknown, root: SchemaRoot): readonly Schema[] {
  const known = resolved(schema, root);
  const choices = [known['anyOf'], known['oneOf']].find((list) => Array.isArray(list)) as
    | readonly unknown[]
    | undefined;
  if (choices) return choices.map((choice) => resolved(choice, root));
  const types: unknown = known['type'];
  return Array.isArray(types) ? types.map((type: unknown) => ({ ...known, type })) : [known];
}

/** The parameters that a tool names, in its order. */
export function propertiesOf(root: SchemaRoot): Readonly<Record<string, unknown>> {
  const properties = resolved(root, root)['properties'];
  return isSchema(properties) ? properties : {};
}

function found(root: SchemaRoot, path: readonly string[]): unknown {
  return path.reduce<unknown>((at, key) => {
    const name = key.replaceAll('~1', '/').replaceAll('~0', '~');
    return isSchema(at) && Object.hasOwn(at, name) ? at[name] : undefined;
  }, root);
}

function isSchema(value: unknown): value is Schema {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
