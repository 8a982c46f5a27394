import { test } from 'vitest';
import { redactionChecks } from './redaction-properties.ts';

test.for(redactionChecks(20))('%s', ([, check]) => check());
