import { parseArgs } from 'node:util';
import { textOfTable, type BenchOptions } from './table.ts';
import { namedTables, tables } from './tables.ts';

const { positionals: names, values } = parseArgs({
  allowPositionals: true,
  options: { replay: { type: 'string' }, window: { type: 'string' }, against: { type: 'string' } },
});
const options: BenchOptions = {
  ...(values.replay !== undefined && { replay: values.replay }),
  ...(values.window !== undefined && { window: Number(values.window) }),
  ...(values.against !== undefined && { against: values.against }),
};
const all = { ...tables, ...namedTables };
const unknown = names.find((name) => !Object.hasOwn(all, name));
if (unknown === undefined) {
  for (const [name, bench] of Object.entries(names.length > 0 ? all : tables)) {
    if (names.length > 0 && !names.includes(name)) continue;
    const table = await bench(options);
    console.log(textOfTable(table));
    if (table.isWorse) process.exitCode = 1;
  }
} else {
  console.error(`There is no table ${unknown}; the tables are ${Object.keys(all).join(', ')}.`);
  process.exitCode = 2;
}
