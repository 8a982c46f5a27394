import { parseArgs } from 'node:util';
import { textOfTable } from './table.ts';
import { tables } from './tables.ts';

const options = { against: { type: 'string' }, files: { type: 'string' } } as const;
const { positionals, values } = parseArgs({ allowPositionals: true, options });
const [name = '', ...rest] = positionals;
const bench = Object.hasOwn(tables, name) && rest.length === 0 ? tables[name] : undefined;
if (bench === undefined) {
  console.error(`There is no table ${positionals.join(' ')}; the tables are ${Object.keys(tables).join(', ')}.`);
  process.exitCode = 2;
} else {
  const { against, files } = values;
  const table = await bench({
    ...(against !== undefined && { against }),
    ...(files !== undefined && { files: Number(files) }),
  });
  console.log(textOfTable(table));
  if (table.isWorse) process.exitCode = 1;
}
