import { expect } from 'chai'
import { left } from 'fp-ts/lib/Either.js'
import { isNone, isSome } from 'fp-ts/lib/Option.js'
import { of } from 'fp-ts/lib/TaskEither.js'
import { ed25519Notes } from '../../adapters/credentials/signing/notes.ts'
import { openCheckpoint } from '../../application/log/open-checkpoint.ts'
import { publishedLog } from '../../application/log/published-log.ts'
import { EMPTY_TREE, type LogTree, type TreeExtension, treeOf } from '../../application/ports/log-tree.ts'
import type { Store } from '../../application/ports/store.ts'
import { leafHash, merkleTree } from '../../domain/merkle-tree.ts'
import { onEveryStore } from '../support/every-store.ts'
import { integration, LOG_SECRET, treeDigests } from '../support/integration.ts'
import { succeed } from '../support/outcome.ts'
import { aRenewal, change, issuedToken, registered } from '../testkit/builders.ts'
import { commitAll } from '../testkit/outcome.ts'

const FORGED_ENTRY = Buffer.from('{"position":256}')
const PUBLIC_URL = 'https://id.example.com'
const { sha256, base64 } = treeDigests

onEveryStore('the integration of the log', (stores) => {
  /** A store with so many entries. */
  const storeOf = async (entries: number): Promise<Store & LogTree> => {
    const { store } = await stores.lasting()
    await append(store, entries)
    const log = treeOf(store)
    if (log === undefined) throw new Error('the store has no tree')
    return { ...store, ...log }
  }

  const append = async (store: Store, entries: number): Promise<void> => {
    for (let left = entries; left > 0; left -= 100)
      await commitAll(store, change(...many(Math.min(left, 100))))
  }

  const many = (entries: number) =>
    [registered(), ...Array.from({ length: entries - 1 }, issuedToken)] as Parameters<typeof change>

  /** The root of the first entries of a log, computed from its lines. */
  const rootOf = async (store: LogTree, size: number): Promise<string> => {
    const tree = merkleTree(sha256)
    for (const { bytes } of await succeed(store.readLines({ after: 0, limit: size })))
      tree.append(leafHash(sha256, bytes))
    return base64(tree.root())
  }

  const published = async (store: LogTree): Promise<string | undefined> => {
    const note = await succeed(publishedLog({ log: store, publicUrl: PUBLIC_URL }).checkpoint)
    return isNone(note) ? undefined : note.value
  }

  /** Replaces the stored tree, as an attacker would. */
  const tamper = async (store: LogTree, extension: Partial<TreeExtension>): Promise<void> => {
    const { epoch: _, entries: __, pruned: ___, ...state } = await succeed(store.readTree())
    await succeed(
      store.extendTree(() => async () => ({ _tag: 'Some', value: { ...state, tiles: [], ...extension } })),
    )
  }

  for (const size of [1, 255, 256, 257, 700])
    it(`signs a checkpoint of ${size} entries with the root that follows from them`, async () => {
      const store = await storeOf(size)
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
    const store = await storeOf(9_000)
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
    expect(await second()).to.deep.equal([{ pending: 808 }, { pending: 0 }])
    expect(notes).to.deep.equal(['', '9000'])
  })

  it('keeps a tree without a key, and signs it when there is one', async () => {
    const store = await storeOf(3)
    expect(await integration(store, { keys: [] }).second()).to.deep.equal([{ pending: 0 }])
    expect(await published(store)).to.equal(undefined)
    expect((await succeed(store.readTree())).size).to.equal(3)
    await integration(store).second()
    expect((await published(store))?.split('\n')[1]).to.equal('3')
  })

  it('keeps the origin when the public URL changes, until the log is renewed', async () => {
    const store = await storeOf(1)
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

  it('makes one tree with several instances at once, whoever works', async () => {
    const store = await storeOf(300)
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
    const store = await storeOf(10)
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

  it('compares the last entry of a full tile with the root, not only with the tile', async () => {
    const store = await storeOf(256)
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

  it('computes the same again after an answer was lost', async () => {
    const store = await storeOf(10)
    const losing = integration({
      ...store,
      extendTree: (extend) => async () => {
        await store.extendTree(extend)()
        return left({ _tag: 'StoreUnavailable', reason: 'lost' })
      },
    })
    expect(await losing.second()).to.deep.equal([{ failure: { _tag: 'StoreUnavailable', reason: 'lost' } }])
    expect(await losing.second()).to.deep.equal([{ pending: 0 }])
    expect((await succeed(store.readTree())).size).to.equal(10)
  })

  it('does not hurry while another instance works, and keeps its finding', async () => {
    const store = await storeOf(5)
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

  it('makes a damaged tree without a key anew when the log is renewed', async () => {
    const store = await storeOf(5)
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
    const store = await storeOf(5)
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
        const store = await storeOf(5)
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

    it('if a stored checkpoint was signed by another key', async () => {
      const store = await storeOf(2)
      await integration(store, { keys: [{ secret: 'of an attacker' }] }).second()
      await append(store, 1)
      expect(await integration(store).second()).to.deep.equal([
        {
          finding:
            'no key of EVENT_LOG_KEY has signed the stored checkpoint: list the key that did beside the new one, or renew the log (events renew)',
        },
      ])
    })

    it('but continues under a new key while the previous one is listed', async () => {
      const store = await storeOf(2)
      await integration(store).second()
      await append(store, 1)
      const keys = [{ secret: 'the next secret' }, { secret: LOG_SECRET }]
      expect(await integration(store, { keys }).second()).to.deep.equal([{ pending: 0 }])
      await append(store, 1)
      expect(await integration(store, { keys: keys.slice(0, 1) }).second()).to.deep.equal([{ pending: 0 }])
    })
  })
})
