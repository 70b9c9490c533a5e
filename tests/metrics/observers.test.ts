import { expect } from 'chai'
import * as O from 'fp-ts/lib/Option.js'
import {
  type HasherObserver,
  observedHasher,
} from '../../adapters/observing/instrumentation/password-hasher.ts'
import { observedStore, type StoreObserver } from '../../adapters/observing/instrumentation/store.ts'
import { memoryStore } from '../../adapters/stores/memory/store.ts'
import type { Store } from '../../application/ports/store.ts'
import { plainHasher } from '../support/plain-hasher.ts'

const request = { share: ['tests'] as const }

describe('the observers of a store', () => {
  it('cost nothing without observers: the store itself is returned', () => {
    const store = memoryStore()
    expect(observedStore(store, [])).to.equal(store)
  })

  it('see the name of each call of the port except close, and except the tree, for which no request waits', async () => {
    const methods: Array<string> = []
    const observed = observedStore(namingItsMethods(), [
      {
        commit: (_, task) => () => task().finally(() => methods.push('commit')),
        call: (method, task) => async () => {
          const outcome = await task()
          expect(outcome).to.equal(method)
          methods.push(method)
          return outcome
        },
      },
    ])
    const unseen = ['close', 'readLines', 'readTree', 'readTile', 'extendTree', 'pruneLog']
    const all = Object.keys(observed).filter((name) => !unseen.includes(name)) as ReadonlyArray<keyof Store>
    expect(all).to.have.lengthOf(Object.keys(memoryStore()).length - unseen.length)
    for (const name of all) await (observed[name] as (input: object) => () => Promise<unknown>)({})()
    expect(methods).to.deep.equal(all)
  })

  it('nest, with the later one outside', async () => {
    const steps: Array<string> = []
    const noting = (name: string): StoreObserver => ({
      call: (_, task) => async () => {
        steps.push(`${name} begins`)
        const outcome = await task()
        steps.push(`${name} ends`)
        return outcome
      },
    })
    await observedStore(memoryStore(), [noting('inner'), {}, noting('outer')]).readEpoch()()
    expect(steps).to.deep.equal(['outer begins', 'inner begins', 'inner ends', 'outer ends'])
  })
})

describe('the observers of a password hasher', () => {
  it('cost nothing without observers: the hasher itself is returned', () => {
    const hasher = plainHasher()
    expect(observedHasher(hasher, [])).to.equal(hasher)
  })

  it('see both operations, with the later one outside', async () => {
    const steps: Array<string> = []
    const noting =
      (name: string): HasherObserver =>
      (operation, hashing) =>
      (asked) => {
        steps.push(`${name}: ${operation}`)
        return hashing(asked)
      }
    const observed = observedHasher(plainHasher(), [noting('inner'), noting('outer')])
    await observed.hash('correct horse', request)()
    await observed.verify('correct horse', O.none, request)()
    expect(steps).to.deep.equal(['outer: hash', 'inner: hash', 'outer: verify', 'inner: verify'])
  })
})

/** A store whose methods resolve with their own names. */
const namingItsMethods = (): Store =>
  Object.fromEntries(
    Object.keys(memoryStore()).map((name) => [name, () => async () => name]),
  ) as unknown as Store
