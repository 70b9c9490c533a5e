import { expect } from 'chai'
import { getOrElse, isSome } from 'fp-ts/lib/Option.js'
import { ed25519Notes } from '../../adapters/credentials/signing/notes.ts'
import { openCheckpoint } from '../../application/log/open-checkpoint.ts'
import { publishedLog } from '../../application/log/published-log.ts'
import { type LogTree, treeOf } from '../../application/ports/log-tree.ts'
import type { Store } from '../../application/ports/store.ts'
import { checkpointText } from '../../domain/checkpoint.ts'
import { onEverySharedStore } from '../support/every-store.ts'
import { integration } from '../support/integration.ts'
import { succeed } from '../support/outcome.ts'
import { aRenewal, change, issuedToken } from '../testkit/builders.ts'
import { commitAll } from '../testkit/outcome.ts'

const PUBLIC_URL = 'https://id.example.com'
const OLD = { secret: 'the old secret of the log, long and random' }
const NEW = { secret: 'the new secret of the log, long and random' }
const UNKNOWN_KEY =
  'no key of EVENT_LOG_KEY has signed the stored checkpoint: list the key that did beside the new one, or renew the log (events renew)'

onEverySharedStore('the key of a log whose checkpoint is stored', (stores) => {
  /** A store with two entries, and a checkpoint of them by these keys. */
  const signedBy = async (...keys: ReadonlyArray<typeof OLD>): Promise<Store & LogTree> => {
    const { store } = await stores.lasting()
    const log = treeOf(store)
    if (log === undefined) throw new Error('the store has no tree')
    await commitAll(store, change(issuedToken(), issuedToken()))
    await sign({ ...store, ...log }, ...keys)
    return { ...store, ...log }
  }
  const sign = (log: LogTree, ...keys: ReadonlyArray<typeof OLD>) => integration(log, { keys }).second()
  const grow = (store: Store) => commitAll(store, change(issuedToken()))

  const published = async (log: LogTree): Promise<string> =>
    getOrElse(() => '')(await succeed(publishedLog({ log, publicUrl: PUBLIC_URL }).checkpoint))

  /** Which keys verify the published checkpoint of this size. */
  const verifiers = async (log: LogTree, size: number): Promise<ReadonlyArray<typeof OLD>> => {
    const note = await published(log)
    expect(note.split('\n')[1]).to.equal(String(size))
    const opened = await Promise.all(
      [OLD, NEW].map(async (key) => {
        const notes = ed25519Notes([key])
        return isSome(await openCheckpoint(notes, note, notes.verifierKeys)) ? [key] : []
      }),
    )
    return opened.flat()
  }

  it('is rotated with an overlap: no checkpoint is missing, and each key verifies its own', async () => {
    const store = await signedBy(OLD)
    expect(await verifiers(store, 2)).to.deep.equal([OLD])
    await grow(store)
    expect(await sign(store, NEW, OLD)).to.deep.equal([{ pending: 0 }])
    expect(await verifiers(store, 3)).to.deep.equal([OLD, NEW])
    await grow(store)
    expect(await sign(store, OLD), 'an instance that still has the old key only').to.deep.equal([
      { pending: 0 },
    ])
    expect(await verifiers(store, 4)).to.deep.equal([OLD])
    await grow(store)
    expect(await sign(store, NEW, OLD)).to.deep.equal([{ pending: 0 }])
    await grow(store)
    expect(await sign(store, NEW)).to.deep.equal([{ pending: 0 }])
    expect(await verifiers(store, 6)).to.deep.equal([NEW])
  })

  it('is added on a log without new entries: both sign, so the old one can be removed', async () => {
    const store = await signedBy(OLD)
    expect(await sign(store, NEW, OLD)).to.deep.equal([{ pending: 0 }])
    expect(await verifiers(store, 2)).to.deep.equal([OLD, NEW])
    await grow(store)
    expect(await sign(store, NEW)).to.deep.equal([{ pending: 0 }])
    expect(await verifiers(store, 3)).to.deep.equal([NEW])
  })

  it('is set after a time without: the tree gets a checkpoint without a new entry', async () => {
    const store = await signedBy()
    expect(await published(store)).to.equal('')
    expect(await sign(store, NEW)).to.deep.equal([{ pending: 0 }])
    expect(await verifiers(store, 2)).to.deep.equal([NEW])
  })

  it('is missing for a time: the stored checkpoint stays, and the next one continues it', async () => {
    const store = await signedBy(OLD)
    await grow(store)
    expect(await sign(store)).to.deep.equal([{ pending: 0 }])
    expect(await verifiers(store, 2)).to.deep.equal([OLD])
    expect(await sign(store, OLD)).to.deep.equal([{ pending: 0 }])
    expect(await verifiers(store, 3)).to.deep.equal([OLD])
  })

  it('is replaced without an overlap: the signer stops, until the log is renewed', async () => {
    const store = await signedBy(OLD)
    const { second } = integration(store, { keys: [NEW] })
    expect(await second(), 'without a new entry').to.deep.equal([{ finding: UNKNOWN_KEY }])
    await grow(store)
    expect(await second()).to.deep.equal([])
    expect(await verifiers(store, 2)).to.deep.equal([OLD])
    await succeed(store.renewEpoch(aRenewal))
    expect(await second()).to.deep.equal([{ pending: 0 }])
    expect(await verifiers(store, 4)).to.deep.equal([NEW])
  })

  it('has signed under another name: the signer stops', async () => {
    const store = await signedBy(OLD)
    const { epoch, entries, ...state } = await succeed(store.readTree())
    const origin = state.originPrefix + epoch
    const note = await ed25519Notes([OLD]).sign(checkpointText({ origin, ...state }), `${origin}0`)
    const forged = { ...state, note: getOrElse(() => '')(note), tiles: [] }
    await succeed(store.extendTree(() => async () => ({ _tag: 'Some', value: forged })))
    await grow(store)
    expect(await sign(store, OLD)).to.deep.equal([{ finding: UNKNOWN_KEY }])
  })
})
