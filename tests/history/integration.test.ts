import { expect } from 'chai'
import { isSome } from 'fp-ts/lib/Option.js'
import { of } from 'fp-ts/lib/TaskEither.js'
import { ed25519Notes } from '../../adapters/credentials/signing/notes.ts'
import { openCheckpoint } from '../../application/log/open-checkpoint.ts'
import type { LogTree } from '../../application/ports/log-tree.ts'
import { onEveryStore } from '../support/every-store.ts'
import { integration, LOG_SECRET } from '../support/integration.ts'
import { onMemory } from '../support/one-store.ts'
import { succeed } from '../support/outcome.ts'
import { change, registered } from '../testkit/builders.ts'
import { append, published, rootOf, storeOf, tamper } from './log-with-tree.ts'

onEveryStore('the integration of the log', (stores) => {
  for (const size of [1, 255, 256, 257, 700])
    it(`signs a checkpoint of ${size} entries with the root that follows from them`, async () => {
      const store = await storeOf(stores, size)
      const { second } = integration(store)
      expect(await second()).to.deep.equal([{ pending: 0 }])
      const note = (await published(store)) ?? ''
      const notes = ed25519Notes([{ secret: LOG_SECRET }])
      const checkpoint = await openCheckpoint(notes, note, notes.verifierKeys)
      const epoch = await succeed(store.readEpoch())
      expect(isSome(checkpoint) && checkpoint.value).to.deep.equal({
        origin: `id.example.com/api/v1/log/${epoch}`,
        size,
        root: await rootOf(store, size),
      })
      await append(store, 300)
      await second()
      expect((await published(store))?.split('\n').slice(1, 3)).to.deep.equal([
        String(size + 300),
        await rootOf(store, size + 300),
      ])
      expect(await second()).to.deep.equal([{ pending: 0 }])
    })

  it('catches up from 0 in several passes, and signs only the last one', async () => {
    const store = await storeOf(stores, 17_000)
    const notes: Array<string> = []
    const { second } = integration({
      ...store,
      extendTree: (extend) =>
        store.extendTree((tree, reads) => async () => {
          const extension = await extend(tree, reads)()
          if (isSome(extension)) notes.push(extension.value.note.split('\n')[1] ?? '')
          return extension
        }),
    })
    expect(await second()).to.deep.equal([{ pending: 616 }, { pending: 0 }])
    expect(notes).to.deep.equal(['', '17000'])
  })

  it('keeps a tree without a key, and signs it when there is one', async () => {
    const store = await storeOf(stores, 3)
    expect(await integration(store, { keys: [] }).second()).to.deep.equal([{ pending: 0 }])
    expect(await published(store)).to.equal(undefined)
    expect((await succeed(store.readTree())).size).to.equal(3)
    await integration(store).second()
    expect((await published(store))?.split('\n')[1]).to.equal('3')
  })

  it('keeps the origin when the public URL changes, until the log is renewed', async () => {
    const store = await storeOf(stores, 1)
    await integration(store).second()
    const { epoch } = await succeed(store.readTree())
    const moved = integration(store, { publicUrl: 'https://moved.example' })
    await append(store, 1)
    await moved.second()
    expect(await published(store)).to.match(new RegExp(`^id.example.com/api/v1/log/${epoch}\n2\n`))
    const [renewal] = change(registered()).events
    const renewed = await succeed(store.renewEpoch(() => renewal))
    expect(await published(store), 'a checkpoint of the earlier epoch').to.equal(undefined)
    expect(await moved.second()).to.deep.equal([{ pending: 0 }])
    expect(await published(store)).to.match(new RegExp(`^id.example.com/api/v1/log/${renewed}\n3\n`))
  })

  it('makes one tree with several concurrent instances', async () => {
    const store = await storeOf(stores, 300)
    const instances = Array.from({ length: 4 }, () => integration(store))
    for (let round = 0; round < 3; round += 1) {
      await append(store, 100)
      await Promise.all(instances.map(({ second }) => second()))
    }
    for (const { second, told } of instances) {
      await second()
      expect(told.every((one) => 'pending' in one)).to.equal(true)
    }
    const { size, root } = await succeed(store.readTree())
    expect({ size, root }).to.deep.equal({ size: 600, root: await rootOf(store, 600) })
  })

  it('goes on a second after a store has thrown', async () => {
    const store = await storeOf(stores, 10)
    let broken = true
    const { second } = integration({
      ...store,
      readTree: () => {
        if (broken) throw new Error('a faulty store')
        return store.readTree()
      },
    })
    const failed = await second().then(
      () => 'no',
      ({ message }) => message,
    )
    expect(failed).to.equal('a faulty store')
    broken = false
    expect(await second()).to.deep.equal([{ pending: 0 }])
  })

  it('does not hurry while another instance works, and keeps its finding', async () => {
    const store = await storeOf(stores, 5)
    let isBusy = true
    let looks = 0
    const { second } = integration({
      ...store,
      readTree: () => {
        looks += 1
        return store.readTree()
      },
      extendTree: (extend) => (isBusy ? of(false) : store.extendTree(extend)),
    })
    expect(await second()).to.deep.equal([])
    expect(looks, 'until the next second').to.equal(1)
    isBusy = false
    expect(await second()).to.deep.equal([{ pending: 0 }])
    await append(store, 1)
    await tamper(store, { tiles: [{ level: 0, index: 0, hashes: new Uint8Array(32 * 5) }] })
    expect(await second()).to.have.nested.property('[0].finding')
    isBusy = true
    expect(await second(), 'it is not over').to.deep.equal([])
    isBusy = false
    expect(await second(), 'nor told again').to.deep.equal([])
  })
})

onMemory('the integration of a long log', (stores) => {
  const SLICES: ReadonlyArray<readonly [server: string, busyMs: number, slices: ReadonlyArray<number>]> = [
    ['an idle server', 0, [32, 32, 32]],
    ['a busy server, whose turns add more entries', 4, [32, 96, 96]],
    ['a server that was blocked for long', 10_000, [32, 512, 456]],
  ]
  for (const [server, busyMs, slices] of SLICES)
    it(`reads ${slices.join(', ')} entries beside ${server}`, async () => {
      const store = await storeOf(stores, 1_000)
      const read: Array<number> = []
      const log: LogTree = {
        ...store,
        extendTree: (extend) =>
          store.extendTree((tree, reads) =>
            extend(tree, {
              ...reads,
              readLines: (query) => {
                read.push(query.limit)
                return reads.readLines(query)
              },
            }),
          ),
      }
      await integration(log, {}, busyMs).second()
      expect(read.slice(0, slices.length)).to.deep.equal(slices)
    })
})
