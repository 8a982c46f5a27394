import { test } from 'vitest';
import {
  byteEncoders,
  checkBase64OfText,
  checkByteEncoder,
  checkEncoder,
  checkOtherBytes,
  checkStream,
  encoders,
} from './redaction-properties.ts';

test.for(Object.entries(encoders))('a secret is found as %s', ([, encode]) => checkEncoder(encode, 150));

test.for(Object.entries(byteEncoders))('a secret is found as %s', ([, encode]) => checkByteEncoder(encode, 150));

test('a secret is found in the base64 of a text that holds it, at any byte', () => checkBase64OfText(2000));

test('a stream is redacted as its whole text, wherever it is cut', () => checkStream(1000));

test('other bytes in hex and base64 are unchanged', () => checkOtherBytes(1000));
