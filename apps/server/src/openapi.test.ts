import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { memoryStore } from '@varve/storage';
import { server } from './server.ts';
import { testKey } from './testing/requests.ts';

interface Parameter {
  readonly in: string;
  readonly name: string;
  readonly required?: boolean;
  readonly schema: { readonly default?: string | number | boolean };
}

interface Operation {
  readonly tags: readonly string[];
  readonly parameters?: readonly Parameter[];
  readonly security?: readonly unknown[];
  readonly responses: Readonly<Record<string, { readonly description: string; readonly content?: object }>>;
}

interface Document {
  readonly openapi: string;
  readonly info: { readonly title: string; readonly version: string };
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components: {
    readonly schemas: Readonly<Record<string, { readonly properties?: object }>>;
    readonly securitySchemes: object;
  };
}

/** Operations of the reference's document that varve implements. */
interface Expected {
  readonly operations: Readonly<Record<string, ReturnType<typeof outline>>>;
  readonly fields: Readonly<Record<string, readonly string[]>>;
}

const expected = JSON.parse(
  readFileSync(new URL('golden/reference-operations.json', import.meta.url), 'utf8'),
) as Expected;

async function documentOf(): Promise<Document> {
  const response = await server({ store: memoryStore(), keys: [testKey] }).request('/openapi.json');
  return (await response.json()) as Document;
}

async function operationsOf(): Promise<readonly (readonly [name: string, path: string, operation: Operation])[]> {
  const { paths } = await documentOf();
  return Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => [`${method} ${path}`, path, operation] as const),
  );
}

/** Parts of an operation that clients rely on. */
function outline({ tags, parameters = [], security, responses }: Operation) {
  return {
    tags,
    isGuarded: security !== undefined,
    parameters: parameters
      .map((parameter) => {
        const { default: usual } = parameter.schema;
        const isRequired = parameter.required === true ? ' required' : '';
        return `${parameter.in} ${parameter.name}${isRequired}${usual === undefined ? '' : ` = ${usual}`}`;
      })
      .toSorted(),
    // The reference documents neither its response to a wrong key nor the status of a server that is not ready.
    statuses: Object.keys(responses).filter((status) => status !== '401' && status !== '503'),
  };
}

test('the operations have the parameters, the defaults and the statuses of the reference', async () => {
  const operations = await operationsOf();
  expect(Object.fromEntries(operations.map(([name, , operation]) => [name, outline(operation)]))).toEqual(
    expected.operations,
  );
});

test.for(Object.entries(expected.fields))('%s has the fields of the reference', async ([name, fields]) => {
  const { components } = await documentOf();
  expect(Object.keys(components.schemas[name]?.properties ?? {}).toSorted()).toEqual(fields);
});

test('the document is OpenAPI 3.1 and contains all referenced components', async () => {
  const document = await documentOf();
  expect(document.openapi).toMatch(/^3\.1\.\d$/);
  expect(document.info).toEqual({ title: expect.any(String), version: '1.43.1' });
  expect(document.components.securitySchemes).toEqual({
    APIKeyHeader: { type: 'apiKey', in: 'header', name: 'X-Session-API-Key' },
  });
  const references = [...JSON.stringify(document).matchAll(/"\$ref":"#\/components\/schemas\/([^"]+)"/g)];
  expect(references.length).toBeGreaterThan(0);
  const missing = references.map(([, name = '']) => name).filter((name) => !(name in document.components.schemas));
  expect(missing).toEqual([]);
});

test('each operation declares the parameters of its path once, and its responses', async () => {
  for (const [name, path, { parameters = [], responses }] of await operationsOf()) {
    const inPath = parameters.filter((parameter) => parameter.in === 'path' && parameter.required === true);
    const named = [...path.matchAll(/\{(\w+)\}/g)].map(([, parameter = '']) => parameter);
    expect(inPath.map((parameter) => parameter.name).toSorted(), name).toEqual(named.toSorted());
    const places = parameters.map((parameter) => `${parameter.in} ${parameter.name}`);
    expect(new Set(places).size, name).toBe(places.length);
    expect(
      parameters.every(({ schema }) => Object.keys(schema).length > 0),
      name,
    ).toBe(true);
    for (const response of Object.values(responses)) {
      expect(response, name).toEqual({ description: expect.stringMatching(/./), content: expect.any(Object) });
    }
  }
});
