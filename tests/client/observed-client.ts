import type { camelDocument } from './camel-document.ts'

/** Watches the methods of a client: which ones succeed, and where a success differs from the document. */
export const observedClient = ({ ids, validate }: ReturnType<typeof camelDocument>) => {
  const called = new Set<string>()
  const differences: Array<unknown> = []
  return {
    called,
    differences,
    /** The same methods. Each success is compared with the document. */
    methods: <Methods extends object>(methods: Methods): Methods =>
      new Proxy(methods, {
        get: (target, id, receiver) => {
          const method: unknown = Reflect.get(target, id, receiver)
          if (typeof method !== 'function' || typeof id !== 'string' || !ids.includes(id)) return method
          return async (...given: ReadonlyArray<unknown>) => {
            const returned = await method(...given)
            if (returned.ok) {
              called.add(id)
              const found = validate(id, returned)
              if (found.length > 0) differences.push({ id, found })
            }
            return returned
          }
        },
      }),
  }
}
