import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { requestFor, runningServer, type RunningServer } from '../support/running-server.ts';
import { testKey } from '../support/requests.ts';

interface Operation {
  readonly requestBody?: unknown;
  readonly responses: Readonly<Record<string, unknown>>;
}

/** An operation with a body, and what is needed to send one. */
interface BodyRoute {
  readonly method: string;
  readonly path: string;
  /** Statuses that the document lists. */
  readonly statuses: readonly string[];
  readonly body: fc.Arbitrary<unknown>;
}

interface Document {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components: { readonly schemas: Readonly<Record<string, unknown>> };
}

/**
 * Operations that a random body could make leave this machine or the temporary directory: they start programs, or
 * install what a body names.
 */
const excluded = /^\/api\/(?:bash|file|git|skills|plugins|mcp|workspaces|hooks|sub-agents|init|llm\/subscription)\b/;

/** Returns all other operations that have a body, with bodies made of the names and values of their schemas. */
async function bodyRoutes({ server }: RunningServer): Promise<readonly BodyRoute[]> {
  const document = (await (await server.request('/openapi.json')).json()) as Document;
  return Object.entries(document.paths)
    .filter(([path]) => !excluded.test(path))
    .flatMap(([path, methods]) =>
      Object.entries(methods).flatMap(([method, { requestBody, responses }]) => {
        if (requestBody === undefined) return [];
        return [
          { method: method.toUpperCase(), path, statuses: Object.keys(responses), body: bodyOf(requestBody, document) },
        ];
      }),
    );
}

/** Sends random bodies to all these operations of one server, each time to a conversation of its own. */
export async function checkBodies(numRuns: number): Promise<readonly BodyRoute[]> {
  await using running = await unreachableServer();
  const routes = await bodyRoutes(running);
  for (const route of routes) {
    const { id } = await running.create(requestFor(running.model, running.workspace));
    await fc.assert(
      fc.asyncProperty(route.body, (body) => sendBody(route, body, running, id)),
      { numRuns },
    );
  }
  return routes;
}

/** Starts a server whose model cannot be reached, so that runs of random conversations end immediately. */
async function unreachableServer(): Promise<RunningServer> {
  const home = mkdtempSync(join(tmpdir(), 'varve-home-'));
  const running = await runningServer([], { home });
  await running.model[Symbol.asyncDispose]();
  return {
    ...running,
    async [Symbol.asyncDispose]() {
      await running[Symbol.asyncDispose]();
      rmSync(home, { recursive: true });
    },
  };
}

/** Sends a body to a route. Throws unless the server answers with a status that the document lists. */
async function sendBody(route: BodyRoute, body: unknown, running: RunningServer, id: string): Promise<void> {
  const path = route.path.replace('{conversation_id}', id).replaceAll(/\{\w+\}/g, 'unknown');
  const response = await running.server.request(path, {
    method: route.method,
    headers: { 'X-Session-API-Key': testKey, 'content-type': 'application/json' },
    ...(route.method !== 'GET' && { body: JSON.stringify(contained(body, running.workspace)) }),
  });
  const text = await response.text();
  // Only an unexpected failure has an id for the log.
  const isExpected = response.status < 500 || route.statuses.includes(String(response.status));
  if (isExpected && !text.includes('"error_id"')) return;
  throw new Error(`${route.method} ${path} with ${JSON.stringify(body)}: ${response.status} ${text}`);
}

function bodyOf(schema: unknown, { components }: Document): fc.Arbitrary<unknown> {
  const [names, values] = [new Set<string>(), new Set<unknown>()];
  collect(schema, components.schemas, { names, values, seen: new Set() });
  const leaf = fc.oneof(
    fc.constantFrom(...values, null, '', 'x', '00000000-0000-0000-0000-000000000000', 'gAAAAA', 'http://127.0.0.1:9'),
    fc.jsonValue({ maxDepth: 1 }),
    fc.nat(),
  );
  const { tree } = fc.letrec<{ tree: unknown }>((tie) => ({
    tree: fc.oneof(
      { maxDepth: 4 },
      leaf,
      fc.array(tie('tree'), { maxLength: 3 }),
      fc.dictionary(fc.constantFrom(...names, 'other'), tie('tree'), { maxKeys: 8, noNullPrototype: true }),
    ),
  }));
  const fields = [...names].map((name) => [name, tree] as const);
  return fc.oneof(
    { weight: 1, arbitrary: tree },
    { weight: 4, arbitrary: fc.record(Object.fromEntries(fields), { requiredKeys: [], noNullPrototype: true }) },
  );
}

interface Collected {
  readonly names: Set<string>;
  readonly values: Set<unknown>;
  readonly seen: Set<string>;
}

/** Collects the names of properties, and the values of enumerations and defaults. */
function collect(schema: unknown, schemas: Document['components']['schemas'], collected: Collected): void {
  if (typeof schema !== 'object' || schema === null) return;
  for (const [name, value] of Object.entries(schema)) {
    if (name === '$ref' && typeof value === 'string' && !collected.seen.has(value)) {
      collected.seen.add(value);
      collect(schemas[value.split('/').at(-1) ?? ''], schemas, collected);
    }
    if (name === 'properties') for (const property of Object.keys(value as object)) collected.names.add(property);
    if (name === 'enum' && Array.isArray(value)) for (const member of value) collected.values.add(member);
    if (name === 'const' || name === 'default') collected.values.add(value);
    collect(value, schemas, collected);
  }
}

/** Keeps random conversations in a temporary directory. */
function contained(body: unknown, workspace: string): unknown {
  if (Array.isArray(body)) return body.map((item: unknown) => contained(item, workspace));
  if (typeof body !== 'object' || body === null) return body;
  const fields = Object.entries(body).map(([name, value]) => {
    if (name === 'working_dir' && typeof value === 'string') return [name, workspace];
    // Hooks are programs.
    return [name, name === 'command' ? 'true' : contained(value, workspace)];
  });
  return Object.fromEntries(fields) as unknown;
}
