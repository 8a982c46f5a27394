import { memoryStore } from '@varve/storage';
import { createApp } from '../../src/http/app.ts';
import { createServices } from '../../src/http/create-services.ts';
import type { Initialization } from '../../src/http/deferred/initialization.ts';
import type { ServerOptions } from '../../src/server-options.ts';
import { testKey } from './requests.ts';

/** Creates services and the handler of their requests, without a socket. */
export function testApp(options: Partial<ServerOptions>, initialization?: Initialization) {
  const complete = { store: memoryStore(), keys: [testKey], ...options };
  const services = createServices(complete, initialization);
  return { services, app: createApp(services, complete) };
}
