type Entry = Readonly<Record<string, unknown>>

/** Where oidc-provider keeps its entries. It warns of its own one, which does the same. */
export const keptEntries = (): ((kind: string) => object) => {
  const kept = new Map<string, Entry>()
  return (kind) => {
    const key = (id: string) => `${kind}:${id}`
    const find = async (id: string) => kept.get(key(id))
    return {
      find,
      findByUid: async (uid: string) =>
        [...kept].find(([name, entry]) => name.startsWith(key('')) && entry.uid === uid)?.[1],
      upsert: async (id: string, entry: Entry) => {
        kept.set(key(id), entry)
      },
      consume: async (id: string) => {
        kept.set(key(id), { ...(await find(id)), consumed: Math.floor(Date.now() / 1000) })
      },
      destroy: async (id: string) => {
        kept.delete(key(id))
      },
      revokeByGrantId: async (grantId: string) => {
        for (const [name, entry] of kept) if (entry.grantId === grantId) kept.delete(name)
      },
    }
  }
}
