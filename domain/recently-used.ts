/** Values by key: at most `capacity` of them, and at least half as many, those that were used last. */
export type RecentlyUsed<Value> = Readonly<{
  get: (key: string) => Value | undefined
  set: (key: string, value: Value) => void
  clear: () => void
}>

/** Forgets the older half of its values at once: to delete the first key of a `Map` is slow after many deletions. */
export const recentlyUsed = <Value>(capacity: number): RecentlyUsed<Value> => {
  let newer = new Map<string, Value>()
  let older: ReadonlyMap<string, Value> = new Map()

  const set = (key: string, value: Value): void => {
    if (newer.size >= capacity / 2 && !newer.has(key)) {
      older = newer
      newer = new Map()
    }
    newer.set(key, value)
  }

  return {
    get: (key) => {
      const found = newer.get(key)
      if (found !== undefined) return found
      const before = older.get(key)
      if (before !== undefined) set(key, before)
      return before
    },
    set,
    clear: () => {
      newer = new Map()
      older = new Map()
    },
  }
}
