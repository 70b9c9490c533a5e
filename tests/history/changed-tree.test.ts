import { expect } from 'chai'
import { of } from 'fp-ts/lib/TaskEither.js'
import { EMPTY_TREE, type LogTree } from '../../application/ports/log-tree.ts'
import { leafHash } from '../../domain/merkle-tree.ts'
import { onEveryStore } from '../support/every-store.ts'
import { integration, treeDigests } from '../support/integration.ts'
import { succeed } from '../support/outcome.ts'
import { aRenewal } from '../testkit/builders.ts'
import { append, published, rootOf, storeOf, tamper } from './log-with-tree.ts'

const FORGED_ENTRY = Buffer.from('{"position":256}')
const { sha256 } = treeDigests

onEveryStore('the integration of the log, given that its tree was changed', (stores) => {
  it('compares the last entry of a full tile with the root, not only with the tile', async () => {
    const store = await storeOf(stores, 256)
    await integration(store).second()
    const tile = await succeed(store.readTile({ level: 0, index: 0 }))
    tile.set(leafHash(sha256, FORGED_ENTRY), 255 * 32) // both were changed together
    await tamper(store, { tiles: [{ level: 0, index: 0, hashes: tile }] })
    await append(store, 1)
    const forged = {
      ...store,
      extendTree: (extend) =>
        store.extendTree((tree, reads) =>
          extend(tree, {
            ...reads,
            readLines: (query) =>
              query.after === 255 ? of([{ position: 256, bytes: FORGED_ENTRY }]) : reads.readLines(query),
          }),
        ),
    } satisfies LogTree
    expect(await integration(forged).second()).to.deep.equal([
      { finding: 'the entry at position 256 is not the one in the tree: the log was changed' },
    ])
  })

  it('rebuilds a damaged tree without a key when the log is renewed', async () => {
    const store = await storeOf(stores, 5)
    const { second } = integration(store, { keys: [] })
    await second()
    await append(store, 1)
    await tamper(store, { tiles: [{ level: 0, index: 0, hashes: new Uint8Array(32 * 5) }] })
    expect(await second()).to.have.nested.property('[0].finding')
    await succeed(store.renewEpoch(aRenewal))
    expect(await second()).to.deep.equal([{ pending: 0 }])
    const { size, root } = await succeed(store.readTree())
    expect({ size, root }).to.deep.equal({ size: 7, root: await rootOf(store, 7) })
  })

  it('begins no damaged tree again under an origin that has signed it', async () => {
    const store = await storeOf(stores, 5)
    const running = integration(store)
    await running.second()
    await succeed(store.renewEpoch(aRenewal))
    await integration(store).second() // another instance signs first
    await tamper(store, { tiles: [{ level: 0, index: 0, hashes: new Uint8Array(32 * 6) }] })
    const finding = 'the stored tiles do not have the stored root: the tree was changed'
    expect(await running.second()).to.deep.equal([{ finding }])
    await append(store, 1)
    expect(await running.second()).to.deep.equal([])
  })

  describe('stops and signs nothing', () => {
    const FLIPPED = new Uint8Array(32 * 5).fill(7)
    for (const [what, extension, finding] of [
      [
        'if a stored tile was changed',
        { tiles: [{ level: 0, index: 0, hashes: FLIPPED }] },
        'the stored tiles do not have the stored root: the tree was changed',
      ],
      [
        'if a stored tile was cut',
        { tiles: [{ level: 0, index: 0, hashes: FLIPPED.subarray(0, 64) }] },
        'tile/0/000.p/5 is stored without all of its hashes',
      ],
      [
        'if the stored root was changed',
        { root: EMPTY_TREE.root },
        'the first 5 entries of the stored tree have another root than this process has seen: the tree was changed',
      ],
      [
        'if an older tree was put back',
        { size: 4 },
        'the stored tree has fewer than the 5 entries that this process has seen: an older one was put back',
      ],
      [
        'if the tree has more entries than the log',
        { size: 99 },
        'the log has fewer entries than the 99 of its tree: entries were removed, or an old copy of the log was restored',
      ],
    ] as const)
      it(what, async () => {
        const store = await storeOf(stores, 5)
        const { second } = integration(store)
        await second()
        const good = await succeed(store.readTree())
        const [tile] = await Promise.all([succeed(store.readTile({ level: 0, index: 0 }))])
        await append(store, 1)
        await tamper(store, extension)
        expect(await second()).to.deep.equal([{ finding }])
        expect(await second(), 'told once').to.deep.equal([])
        expect((await succeed(store.readTree())).note).to.equal(good.note)
        const { size, root } = good
        await tamper(store, { size, root, tiles: [{ level: 0, index: 0, hashes: tile }] })
        expect(await second(), 'repaired').to.deep.equal([{ pending: 0 }])
        expect((await published(store))?.split('\n')[1]).to.equal('6')
      })
  })
})
