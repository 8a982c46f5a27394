import type { ContentBlock } from '@agentclientprotocol/sdk';
import { expect, test } from 'vitest';
import { contentOf } from './prompt-content.ts';

const png = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';

function model(vision: boolean): Parameters<typeof contentOf>[1] {
  return { name: 'm', capabilities: { functionCalling: true, streaming: true, vision } };
}

test('an embedded picture is an image whatever its type is said to be, and an embedded text is a file', () => {
  const blocks: readonly ContentBlock[] = [
    { type: 'resource', resource: { uri: 'clip://1', mimeType: 'text/plain', blob: png } },
    { type: 'resource', resource: { uri: 'file:///a.md', mimeType: 'application/pdf', blob: btoa('Hello.') } },
  ];
  expect(contentOf(blocks, model(true))).toMatchObject([
    { text: '[clip://1](clip://1)' },
    { image_urls: [`data:image/png;base64,${png}`] },
    { text: '<file uri="file:///a.md">\nHello.\n</file>' },
  ]);
});

test.for<readonly [what: string, block: ContentBlock, sees: boolean]>([
  ['an image for a model that sees none', { type: 'image', mimeType: 'image/png', data: png }, false],
  ['an embedded picture for one', { type: 'resource', resource: { uri: 'clip://1', blob: png } }, false],
  ['an image of another type', { type: 'image', mimeType: 'image/png', data: btoa('BM') }, true],
  ['a large image', { type: 'image', mimeType: 'image/gif', data: btoa(`GIF8${' '.repeat(6_000_000)}`) }, true],
  ['audio', { type: 'audio', mimeType: 'audio/wav', data: 'AAAA' }, true],
  ['a document', { type: 'resource', resource: { uri: 'file:///a.pdf', blob: btoa('%PDF\0') } }, true],
  ['bytes', { type: 'resource', resource: { uri: 'file:///a.bin', blob: btoa('\u00FF') } }, true],
])('%s is refused', ([, block, sees]) => {
  expect(() => contentOf([block], model(sees))).toThrow(expect.objectContaining({ code: -32602 }));
});
