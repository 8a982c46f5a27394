type Change = (text: string) => string;

/**
 * Applies `change` to every string in a JSON value, and `changeName` to every property name. Returns the same value,
 * and the same value for each part, where nothing changes.
 */
export function mapStrings<Value>(value: Value, change: Change, changeName?: Change): Value {
  return mapped(value, change, changeName) as Value;
}

function mapped(value: unknown, change: Change, changeName: Change | undefined): unknown {
  if (typeof value === 'string') return change(value);
  if (typeof value !== 'object' || value === null) return value;
  return Array.isArray(value) ? mappedItems(value, change, changeName) : mappedFields(value, change, changeName);
}

// Both copy at the first change: most values have none, and every message of a long conversation passes here.
function mappedItems(items: readonly unknown[], change: Change, changeName: Change | undefined): readonly unknown[] {
  let changed: unknown[] | undefined;
  for (const [index, item] of items.entries()) {
    const newItem = mapped(item, change, changeName);
    if (newItem !== item) (changed ??= items.slice())[index] = newItem;
  }
  return changed ?? items;
}

function mappedFields(value: object, change: Change, changeName: Change | undefined): object {
  let changed: [string, unknown][] | undefined;
  let count = 0;
  for (const name in value) {
    const field: unknown = value[name as keyof typeof value];
    const newName = changeName?.(name) ?? name;
    const newField = mapped(field, change, changeName);
    if (newName !== name || newField !== field) changed ??= Object.entries(value).slice(0, count);
    changed?.push([newName, newField]);
    count += 1;
  }
  return changed ? Object.fromEntries(changed) : value;
}
