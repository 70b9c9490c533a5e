import { expect } from 'chai'
import { isRight, left } from 'fp-ts/lib/Either.js'
import type { TaskEither } from 'fp-ts/lib/TaskEither.js'
import { ed25519Notes } from '../../adapters/credentials/signing/notes.ts'
import { nodeDigests } from '../../adapters/node/environment.ts'
import { memoryStore } from '../../adapters/stores/memory/store.ts'
import { checkLog } from '../../application/log/check-log.ts'
import { checkStore } from '../../application/log/check-store.ts'
import { verifyLog } from '../../application/log/verify-log.ts'
import type { LogTree } from '../../application/ports/log-tree.ts'
import type { Store, StoreUnavailable } from '../../application/ports/store.ts'
import { recorder } from '../../application/recording/recorder.ts'
import { onEveryStore } from '../support/every-store.ts'
import { integrated, LOG_SECRET, treeDigests } from '../support/integration.ts'
import { OPERATOR } from '../support/operator.ts'
import { succeed } from '../support/outcome.ts'
import { anApplication, change, registered } from '../testkit/builders.ts'
import { commitAll } from '../testkit/outcome.ts'
import { countingRandom, settableClock } from './fakes.ts'
import { tampered } from './records.ts'
import { CONTEXT, NOW } from './world.ts'

const { read: clock } = settableClock(NOW)
type StoreWithTree = Store & LogTree

/** Adds more than two pages of entries and applications, and brings the tree up to date. */
const fill = async (store: Store): Promise<StoreWithTree> => {
  const record = recorder({ store, clock, random: countingRandom(), digests: nodeDigests })
  const application = () => ({ _tag: 'ApplicationRegistered', application: anApplication() }) as const
  const others = Array.from({ length: ENTRIES - 1 }, application)
  await succeed(record([application(), ...others], OPERATOR, CONTEXT))
  await integrated(store)
  return store as StoreWithTree
}
const ENTRIES = 1_002

const given = <A extends Store>(store: A) => ({
  ...{ store, clock, treeDigests, digests: nodeDigests },
  notes: ed25519Notes([{ secret: LOG_SECRET }]),
  publicUrl: 'https://id.example.com',
})

/** What `checkLog` and `verifyLog` say, each after a pass of its own. */
const apart = async (store: StoreWithTree) => ({
  log: await checkLog(given(store))(),
  history: await verifyLog({ ...given(store), log: store })([])(),
})

onEveryStore('checkStore', (stores) => {
  it('reads each entry of the log once, and says the same as checkLog and verifyLog', async () => {
    const store = await fill((await stores.lasting()).store)
    let entries = 0
    const counted =
      <Query, A>(method: (query: Query) => TaskEither<StoreUnavailable, ReadonlyArray<A>>) =>
      (query: Query) =>
      async () => {
        const found = await method(query)()
        if (isRight(found)) entries += found.right.length
        return found
      }
    const front = {
      ...store,
      readEvents: counted(store.readEvents),
      readLines: counted(store.readLines),
    }
    expect(await checkStore(given(front))()).to.deep.equal(await apart(store))
    expect(entries).to.equal(ENTRIES + 1) // the last one is also compared with the root
  })
})

describe('checkStore', () => {
  it('says the same if the lines of the store bring no entries', async () => {
    const store = await fill(memoryStore())
    const front: StoreWithTree = {
      ...store,
      readLines: ({ after, limit }) => store.readLines({ after, limit }),
    }
    expect(await checkStore(given(front))()).to.deep.equal(await apart(store))
  })

  it('has no history without a tree', async () => {
    const { readLines: _, ...store } = await fill(memoryStore())
    expect(await checkStore(given(store))()).to.deep.equal({
      log: await checkLog(given(store))(),
      history: undefined,
    })
  })

  it('compares the log with its tree, although the store cannot read an entry', async () => {
    const store = await fill(memoryStore())
    const later = { ...change(registered()).events[0], type: 'InventedLater' } as never
    await commitAll(store, { id: 'later', events: [later], compared: [], rows: [] })
    await integrated(store)
    const { log, history } = await checkStore(given(store))()
    expect(log).to.deep.equal(
      left({ _tag: 'StoreUnavailable', reason: 'unreadable entry in the log' } satisfies StoreUnavailable),
    )
    expect(history).to.deep.include({ _tag: 'Right' })
    expect(history).to.have.nested.property('right.size', ENTRIES + 1)
  })

  it('tells its progress, and each row once although a difference makes it compare again', async () => {
    const store = await fill(memoryStore())
    const [first] = await succeed(store.listRows({ table: 'applications', after: '', limit: 1 }))
    const front = {
      ...store,
      ...tampered(store, 'applications', (rows) =>
        rows.map((row) => (row.id === first?.id ? { ...row, name: 'another' } : row)),
      ),
    }
    const heard: Array<string> = []
    let seen = 0
    const { log } = await checkStore(given(front))({
      onProgress: ({ of, done, total }) => heard.push(`${of} ${done}/${total}`),
      onRows: {
        applications: (some) => {
          seen += some.length
        },
      },
    })
    expect(log).to.have.nested.property('right.disagreements.length', 1)
    expect(heard.slice(0, 4)).to.deep.equal(['log 0/1002', 'log 500/1002', 'log 1000/1002', 'log 1002/1002'])
    expect(heard.filter((one) => one === 'applications 0/1002')).to.have.lengthOf(2)
    expect(seen).to.equal(ENTRIES)
  })
})
