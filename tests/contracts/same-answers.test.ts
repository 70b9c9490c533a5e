import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'chai'
import * as fc from 'fast-check'
import { memoryStore } from '../../adapters/memory/store.ts'
import { connectionsTo } from '../../adapters/postgres/connections.ts'
import { openDatabase } from '../../adapters/postgres/database.ts'
import { postgresStore } from '../../adapters/postgres/store.ts'
import { sqliteStore } from '../../adapters/sqlite/store.ts'
import type { Store } from '../../application/ports/store.ts'
import { postgres } from '../support/postgres.ts'
import type { PostgresServer } from '../support/postgres-server.ts'
import { anyStep, type Step, taken } from './steps.ts'

/** Makes a store like memory's, new and empty. */
const OTHERS: ReadonlyArray<readonly [string, () => Promise<Opened>]> = [
  [
    'SQLite',
    async () => {
      const folder = await mkdtemp(join(tmpdir(), 'portcullis-answers-'))
      return { store: sqliteStore(join(folder, 'store.db')), remove: () => rm(folder, { recursive: true }) }
    },
  ],
  ...(postgres === undefined ? [] : [['PostgreSQL', onServer(postgres)] as const]),
]

type Opened = Readonly<{ store: Store; remove: () => Promise<void> }>

function onServer(server: PostgresServer): () => Promise<Opened> {
  return async () => {
    const { url, drop } = await server.newDatabase()
    await openDatabase({ url, place: 'a database of the tests' })
    return { store: inTurn(postgresStore(connectionsTo(url, 4))), remove: drop }
  }
}

/** Which of several commits comes first that are asked for at once is not promised, and nothing else would differ. */
const inTurn = (store: Store): Store => {
  let last: Promise<unknown> = Promise.resolve()
  return {
    ...store,
    commit: (change) => () => {
      const outcome = last.then(store.commit(change))
      last = outcome
      return outcome
    },
  }
}

describe('all stores', () => {
  for (const [name, open] of OTHERS) {
    it(`answer the same to the same: ${name} as memory does`, async () => {
      await fc.assert(
        fc.asyncProperty(fc.array(anyStep, { minLength: 1, maxLength: 40 }), (steps) =>
          sameAnswers(steps, open),
        ),
        { numRuns: 60 },
      )
    }).timeout(120_000)
  }

  it('are put to the test by these steps: of every kind of answer there are many', async () => {
    const counts = new Map<string, number>()
    for (const steps of fc.sample(fc.array(anyStep, { minLength: 40, maxLength: 40 }), {
      numRuns: 50,
      seed: 1,
    })) {
      const model = memoryStore()
      for (const step of steps) {
        for (const answer of await (await taken(step, model))(model)) {
          counts.set(answer.kind, (counts.get(answer.kind) ?? 0) + 1)
        }
      }
    }
    for (const kind of ['success', 'Conflict', 'EmailTaken', 'StoreUnavailable', 'found', 'nothing']) {
      expect(counts.get(kind) ?? 0, kind).to.be.greaterThan(20)
    }
  })
})

const sameAnswers = async (steps: ReadonlyArray<Step>, open: () => Promise<Opened>): Promise<void> => {
  const model = memoryStore()
  const { store, remove } = await open()
  try {
    for (const step of steps) {
      const ask = await taken(step, model)
      expect(await ask(store)).to.deep.equal(await ask(model))
    }
    await Promise.all([store.close(), model.close()])
    for (const step of steps) {
      const ask = await taken(step, model)
      expect(await ask(store), 'once they are closed').to.deep.equal(await ask(model))
    }
  } finally {
    await store.close()
    await remove()
  }
}
