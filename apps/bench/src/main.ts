import { parseArgs } from 'node:util';
import { textOfTable } from './table.ts';
import { tables } from './tables.ts';

const { positionals, values } = parseArgs({ allowPositionals: true, options: { against: { type: 'string' } } });
const [name = '', ...rest] = positionals;
const bench = Object.hasOwn(tables, name) && rest.length === 0 ? tables[name] : undefined;
if (bench === undefined) {
  console.error(`There is no table ${positionals.join(' ')}; the tables are ${Object.keys(tables).join(', ')}.`);
  process.exitCode = 2;
} else {
  const table = await bench(values.against === undefined ? {} : { against: values.against });
  console.log(textOfTable(table));
  if (table.isWorse) process.exitCode = 1;
}
