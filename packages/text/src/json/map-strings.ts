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
  if (Array.isArray(value)) {
    const items: readonly unknown[] = value;
    const changed = items.map((item) => mapped(item, change, changeName));
    return changed.some((item, index) => item !== items[index]) ? changed : items;
  }
  let isChanged = false;
  const fields = Object.entries(value).map(([name, field]) => {
    const newName = changeName?.(name) ?? name;
    const newField = mapped(field, change, changeName);
    isChanged ||= newName !== name || newField !== field;
    return [newName, newField] as const;
  });
  return isChanged ? Object.fromEntries(fields) : value;
}
