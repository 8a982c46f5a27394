import { expect, test } from 'vitest';
import { fileEditor } from './file-editor.ts';

test.for<[Record<string, unknown>, string | undefined]>([
  [{ path: '/a' }, 'view'],
  [{ path: '/a', old_str: 'x', new_str: 'y' }, 'str_replace'],
  [{ path: '/a', insert_line: 1, new_str: 'y' }, 'insert'],
  [{ path: '/a', file_text: '' }, 'create'],
  [{ path: '/a', new_str: 'y' }, undefined],
  [{ old_str: 'x' }, undefined],
  [{ path: '/a', old_str: 'x', file_text: 'y' }, undefined],
  [{ command: 'view', path: '/a', old_str: 'x' }, 'view'],
  [{ file_path: '/a', old_string: 'x', new_string: 'y' }, 'str_replace'],
  [{ filename: '/a', content: 'x' }, 'create'],
])('for %j the editor infers the command %s', ([fields, command]) => {
  expect(fileEditor().repairInput?.(fields)['command']).toBe(command);
});
