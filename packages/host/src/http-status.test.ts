import { AgentError } from '@varve/agent';
import { StorageError } from '@varve/storage';
import { ToolError } from '@varve/tools';
import { expect, test } from 'vitest';
import { HostError } from './error.ts';
import { httpStatusOf } from './http-status.ts';

test.for<readonly [unknown, number]>([
  [new HostError('unknown-agent', 'No.'), 404],
  [new AgentError('calls-changed', 'No.'), 409],
  [new ToolError('invalid-input', 'No.'), 400],
  [new ToolError('unusable', 'No.'), 500],
  [new StorageError('held', 'No.'), 404],
  [new StorageError('full', 'No.'), 507],
  [new StorageError('io', 'No.'), 503],
  [new StorageError('corrupt', 'No.'), 500],
  [new Error('No.'), 500],
])('%o has the status %i', ([error, status]) => {
  expect(httpStatusOf(error)).toBe(status);
});
