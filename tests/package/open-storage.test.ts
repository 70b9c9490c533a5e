import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'chai'
import {
  compose,
  composeOperations,
  Dependency,
  type Module,
  memoryStore,
  openStorage,
  provide,
  type Storage,
} from '../../adapters/index.ts'
import { settings } from '../support/settings.ts'

const messageOf = (failing: Promise<unknown>): Promise<string> =>
  failing.then(
    () => 'no error',
    (error) => error.message,
  )

describe('a module that wraps the standard storage', () => {
  let folder: string
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'portcullis-wrapped-'))
  })
  afterEach(() => rmSync(folder, { recursive: true }))

  it('changes the store, and keeps its failure counts', async () => {
    const made = settings({ DATABASE_URL: `sqlite:${join(folder, 'portcullis.db')}` })
    let wrapped: Storage | undefined
    let commits = 0
    const counting = provide(Dependency.storage, { clock: Dependency.clock }, async ({ clock }) => {
      const standard = await openStorage(made, { clock })
      const { store } = standard
      wrapped = {
        ...standard,
        store: {
          ...store,
          commit: (change) => {
            commits += 1
            return store.commit(change)
          },
        },
      }
      return wrapped
    })
    const service = await compose(made, counting)
    await service.stop()
    expect(commits, 'the signing keys').to.equal(1)
    expect(wrapped).to.have.all.keys(
      'store',
      'failureCounts',
      'protocolState',
      'serverNotes',
      'storeCopy',
      'outbox',
    )
  })

  it('fails with one sentence if the file does not exist and must not be created', async () => {
    const made = settings({ DATABASE_URL: `sqlite:${join(folder, 'none.db')}` })
    const message = await messageOf(openStorage(made, { clock: Date.now, opening: 'existing' }))
    expect(message).to.match(/^[^\n]*none\.db[^\n]*\.$/)
  })
})

describe('a dependency that needs itself', () => {
  const CYCLES: ReadonlyArray<readonly [cycle: string, module: Module]> = [
    [
      'Dependency.storage needs Dependency.storage',
      provide(Dependency.storage, { storage: Dependency.storage }, ({ storage }) => storage),
    ],
    [
      'Dependency.storage needs Dependency.store needs Dependency.storage',
      provide(Dependency.storage, { store: Dependency.store }, ({ store }) => ({ store })),
    ],
    [
      'Dependency.passwordHasher needs Dependency.passwordHasher',
      provide(Dependency.passwordHasher, { inner: Dependency.passwordHasher }, ({ inner }) => inner),
    ],
  ]
  for (const [cycle, module] of CYCLES)
    it(`is named, in one sentence: ${cycle}`, async () => {
      for (const composing of [compose, composeOperations]) {
        const message = await messageOf(composing(settings({ DATABASE_URL: 'memory:' }), module))
        expect(message.split(': no dependency can need itself. To wrap ')[0]).to.equal(cycle)
      }
    })

  it('may be replaced by a module without a cycle', async () => {
    const cyclic = provide(Dependency.storage, { storage: Dependency.storage }, ({ storage }) => storage)
    const right = provide(Dependency.storage, () => ({ store: memoryStore() }))
    const operations = await composeOperations(settings({ DATABASE_URL: 'memory:' }), cyclic, right)
    await operations.close()
  })
})
