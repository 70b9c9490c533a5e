import { setTimeout as passes } from 'node:timers/promises'
import { expect } from 'chai'
import { isLeft, isRight } from 'fp-ts/lib/Either.js'
import { isSome } from 'fp-ts/lib/Option.js'
import { ed25519Notes } from '../../adapters/credentials/signing/notes.ts'
import { openCheckpoint } from '../../application/log/open-checkpoint.ts'
import type { LogTree } from '../../application/ports/log-tree.ts'
import { pages } from '../../application/recording/pages.ts'
import { leafHash, merkleTree } from '../../domain/merkle-tree.ts'
import { httpClient } from '../support/http-client.ts'
import { treeDigests } from '../support/integration.ts'

/** Everything that instances have ever stored or served of the tree of a log. */
export type SignedNotes = Readonly<{
  /** Records what an instance serves until it is gone. Returns the number of checkpoints that it served. */
  watch: (url: string, token: string) => Promise<number>
  /** Ends the recording of the stored tree. */
  end: () => Promise<void>
  /** Compares every recorded note and every stored root with the final log. Returns the number of different sizes. */
  verify: (secret: string) => Promise<number>
}>

/** Records the stored tree from now on, and the checkpoints that instances serve. */
export const signedNotes = (log: LogTree): SignedNotes => {
  const { sha256, base64 } = treeDigests
  const notes = new Set<string>()
  const roots = new Map<number, Set<string>>()
  let isEnded = false

  const record = (size: number, root: string): void => {
    roots.set(size, (roots.get(size) ?? new Set()).add(root))
  }
  const look = async (): Promise<void> => {
    const stored = await log.readTree()()
    if (isLeft(stored)) return // of a moment in which the store is locked
    record(stored.right.size, stored.right.root)
    if (stored.right.note !== '') notes.add(stored.right.note)
  }
  const looking = (async () => {
    while (!isEnded) {
      await look()
      await passes(LOOK_AGAIN_AFTER_MS)
    }
  })()

  return {
    watch: async (url, token) => {
      const { send, close } = httpClient(url)
      let served = 0
      for (;;) {
        const answer = await send({ method: 'GET', path: '/api/v1/log/checkpoint', token }).catch(
          () => undefined,
        )
        if (answer === undefined) break
        if (answer.status === 200) {
          notes.add(answer.body)
          served += 1
        } else expect(answer.status, JSON.stringify(answer.body)).to.equal(404) // until the first checkpoint
        await passes(LOOK_AGAIN_AFTER_MS)
      }
      await close()
      return served
    },
    end: async () => {
      isEnded = true
      await looking
      await look()
    },
    verify: async (secret) => {
      const signing = ed25519Notes([{ secret }])
      const texts = new Map<number, Set<string>>()
      for (const note of notes) {
        const opened = await openCheckpoint(signing, note, signing.verifierKeys)
        if (!isSome(opened)) throw new Error(`nothing has signed ${note}`)
        const { size, root } = opened.value
        record(size, root)
        texts.set(size, (texts.get(size) ?? new Set()).add(note))
      }
      expect(
        [...texts.values()].filter(({ size }) => size !== 1),
        'one note for each size',
      ).to.deep.equal([])
      const expected = await rootsAt(log, new Set(roots.keys()))
      for (const [size, all] of roots) expect([...all], `${size} entries`).to.deep.equal([expected.get(size)])
      const stored = await log.readTree()()
      expect(isRight(stored) && stored.right.size).to.equal(isRight(stored) && stored.right.entries)
      return texts.size
    },
  }

  /** The roots of the log at these sizes, computed from its lines. */
  async function rootsAt({ readLines }: LogTree, sizes: ReadonlySet<number>): Promise<Map<number, string>> {
    const tree = merkleTree(sha256)
    const at = new Map<number, string>()
    const note = (): void => {
      if (sizes.has(tree.size())) at.set(tree.size(), base64(tree.root()))
    }
    note()
    for await (const page of pages(
      (after, limit) => readLines({ after, limit }),
      0,
      ({ position }) => position,
    )) {
      if (isLeft(page)) throw new Error(page.left.reason)
      for (const { position, bytes } of page.right) {
        expect(position).to.equal(tree.size() + 1)
        tree.append(leafHash(sha256, bytes))
        note()
      }
    }
    return at
  }
}

const LOOK_AGAIN_AFTER_MS = 10
