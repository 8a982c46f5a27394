import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { memoryStore } from '@varve/storage';
import { server } from '../src/server.ts';
import { testKey } from './support/requests.ts';

interface Parameter {
  readonly in: string;
  readonly name: string;
  readonly required?: boolean;
  readonly schema: { readonly default?: string | number | boolean };
}

interface Schema {
  readonly $ref?: string;
  readonly properties?: object;
  readonly required?: readonly string[];
}

interface Operation {
  readonly operationId?: string;
  readonly tags: readonly string[];
  readonly parameters?: readonly Parameter[];
  readonly security?: readonly unknown[];
  readonly requestBody?: {
    readonly required?: boolean;
    readonly content: Readonly<Record<string, { readonly schema: Schema }>>;
  };
  readonly responses: Readonly<Record<string, { readonly description: string; readonly content?: object }>>;
}

interface Document {
  readonly openapi: string;
  readonly info: { readonly title: string; readonly version: string };
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components: {
    readonly schemas: Readonly<Record<string, Schema>>;
    readonly securitySchemes: object;
  };
}

type Outline = ReturnType<typeof outline>;

/** Operations of the reference's document, and the fields of its records that varve returns. */
interface Expected {
  readonly operations: Readonly<Record<string, Outline>>;
  readonly fields: Readonly<Record<string, readonly string[]>>;
}

/** Operations that varve does not have, and parts of operations that differ, each with the reason. */
interface Differences {
  readonly missing: Readonly<Record<string, string>>;
  /** Operations that the reference does not have. */
  readonly own: Readonly<Record<string, string>>;
  readonly changed: Readonly<Record<string, Partial<Outline> & { readonly reason: string }>>;
}

const expected = golden('reference-operations') as Expected;
const differences = golden('reference-differences') as Differences;

function golden(name: string): unknown {
  return JSON.parse(readFileSync(new URL(`golden/${name}.json`, import.meta.url), 'utf8'));
}

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
function outline(
  { tags, parameters = [], security, requestBody, responses }: Operation,
  schemas: Document['components']['schemas'],
) {
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
    statuses: Object.keys(responses)
      .filter((status) => status !== '401' && status !== '503')
      .toSorted(),
    ...(requestBody && { body: bodyOutline(requestBody, schemas) }),
  };
}

function bodyOutline(
  { required = false, content }: NonNullable<Operation['requestBody']>,
  schemas: Document['components']['schemas'],
) {
  const types = Object.keys(content).toSorted();
  const { schema = {} } = content[types[0] ?? ''] ?? {};
  const name = schema.$ref?.split('/').at(-1);
  const { properties = {}, required: needed = [] } = name === undefined ? schema : (schemas[name] ?? {});
  const fields = Object.keys(properties).map((field) => (needed.includes(field) ? `${field} required` : field));
  return { isRequired: required, types, fields: fields.toSorted() };
}

test('every operation has a name of its own', async () => {
  const names = (await operationsOf()).map(([, , { operationId }]) => operationId);
  expect(new Set(names).size).toBe(names.length);
  expect(names).toContain('getConversationsByConversationIdEventsSearch');
  expect(names.filter((name) => !/^[a-z][A-Za-z0-9]+$/.test(name ?? ''))).toEqual([]);
});

test('every operation of the reference exists or is listed as missing', async () => {
  const ours = new Set((await operationsOf()).map(([name]) => name));
  const missing = Object.keys(expected.operations).filter((name) => !ours.has(name));
  expect(Object.keys(differences.missing).toSorted()).toEqual(missing.toSorted());
  expect(Object.values(differences.missing).every((reason) => reason.length > 10)).toBe(true);
});

test('the operations have the parameters, defaults, bodies and statuses of the reference', async () => {
  const { schemas } = (await documentOf()).components;
  const operations = (await operationsOf()).filter(([name]) => name in expected.operations);
  for (const [name, , operation] of operations) {
    const { reason: _, ...changed } = differences.changed[name] ?? { reason: '' };
    const { statuses, ...rest } = { ...expected.operations[name], ...changed };
    expect(outline(operation, schemas), name).toEqual({ ...rest, statuses: statuses?.toSorted() });
  }
});

test('each difference has a reason and is one', () => {
  for (const [name, { reason, ...changed }] of Object.entries(differences.changed)) {
    expect(reason.length, name).toBeGreaterThan(10);
    expect(expected.operations[name] ?? {}, name).not.toMatchObject(changed);
  }
});

test('each operation of our own is listed', async () => {
  const added = (await operationsOf()).map(([name]) => name).filter((name) => !(name in expected.operations));
  expect(added.toSorted()).toEqual(Object.keys(differences.own).toSorted());
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
    for (const [status, response] of Object.entries(responses)) {
      expect(response.description, name).toMatch(/./);
      expect(response.content !== undefined, name).toBe(status !== '204');
    }
  }
});
