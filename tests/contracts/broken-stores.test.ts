import { expect } from 'chai'
import { memoryStore } from '../../adapters/memory/store.ts'
import type { Store } from '../../application/ports/store.ts'
import type { Broken } from './broken/broken.ts'
import { BROKEN_CLOSINGS } from './broken/closing.ts'
import { BROKEN_COMMITS } from './broken/commits.ts'
import { BROKEN_EMAILS } from './broken/emails.ts'
import { BROKEN_LISTINGS } from './broken/listing.ts'
import { BROKEN_LOGS } from './broken/log.ts'
import { BROKEN_RECORDS } from './broken/records.ts'
import { storeContract } from './store.ts'

const BROKEN_STORES: ReadonlyArray<Broken> = [
  ...BROKEN_RECORDS,
  ...BROKEN_LISTINGS,
  ...BROKEN_LOGS,
  ...BROKEN_COMMITS,
  ...BROKEN_EMAILS,
  ...BROKEN_CLOSINGS,
]

describe('the contract of Store is a contract', () => {
  for (const { breaks, caughtBy, open } of BROKEN_STORES) {
    it(`it catches a store that ${breaks}`, async () => {
      expect(await failing(open, (name) => caughtBy.includes(name))).to.have.members([...caughtBy])
    })
  }

  it('it lets a store pass that keeps every promise', async () => {
    expect(await failing(memoryStore)).to.deep.equal([])
  })

  it('every case of it has a name of its own', () => {
    const names = casesFor(memoryStore).map(({ name }) => name)
    expect(new Set(names).size).to.equal(names.length)
  })

  it('every case of it is there to catch one of these stores', () => {
    const names = casesFor(memoryStore).map(({ name }) => name)
    const needed = new Set(BROKEN_STORES.flatMap(({ caughtBy }) => caughtBy))
    expect([...needed].sort()).to.deep.equal([...names].sort())
  })
})

type Case = Readonly<{ name: string; run: () => Promise<void> }>

/** The contract's cases, collected instead of run. */
const casesFor = (open: () => Store): ReadonlyArray<Case> => {
  const cases: Array<Case> = []
  storeContract(
    { describe: (_, body) => body(), it: (name, run) => cases.push({ name, run }) },
    async () => ({ store: open() }),
  )
  return cases
}

/** The names of the cases that fail on such a store, of those that matter. */
const failing = async (
  open: () => Store,
  matters: (name: string) => boolean = () => true,
): Promise<ReadonlyArray<string>> => {
  const failed: Array<string> = []
  for (const { name, run } of casesFor(open)) {
    if (!matters(name)) continue
    try {
      await run()
    } catch {
      failed.push(name)
    }
  }
  return failed
}
