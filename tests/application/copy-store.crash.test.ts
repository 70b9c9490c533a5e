import { expect } from 'chai'
import { isLeft } from 'fp-ts/lib/Either.js'
import type { TaskEither } from 'fp-ts/lib/TaskEither.js'
import { nodeTreeDigests } from '../../adapters/node/environment.ts'
import { memoryStorage } from '../../adapters/stores/memory/store-copy.ts'
import { copyStore } from '../../application/copying/copy-store.ts'
import type { CopySide } from '../../application/copying/sides.ts'
import type { StoreCopy } from '../../application/ports/store-copy.ts'
import { someChange } from '../testkit/builders.ts'
import { commitAll, ok } from '../testkit/outcome.ts'
import { everything, fill } from '../testkit/store-copy/copies.ts'

class Killed extends Error {}

let made = 0
const copy = copyStore({
  treeDigests: nodeTreeDigests,
  newId: () => {
    made += 1
    return `copy ${made}`
  },
})

type Storage = ReturnType<typeof memoryStorage>

const sideOf = ({ store, storeCopy }: Storage, place: string): CopySide => ({ store, storeCopy, place })

/** The process dies before or after one of the calls of a port: nothing after that is done. */
const dyingAt = (step: number, when: 'before' | 'after') => {
  let calls = 0
  const dying =
    <Given extends ReadonlyArray<unknown>, E, A>(call: (...given: Given) => TaskEither<E, A>) =>
    (...given: Given): TaskEither<E, A> =>
    async () => {
      calls += 1
      const isLast = calls === step
      if (isLast && when === 'before') throw new Killed()
      const outcome = await call(...given)()
      if (isLast) throw new Killed()
      return outcome
    }
  const front = (port: StoreCopy): StoreCopy => ({
    readCopyState: dying(port.readCopyState),
    readContents: dying(port.readContents),
    lock: dying(port.lock) as StoreCopy['lock'],
    begin: dying(port.begin),
    write: dying(port.write),
    settle: dying(port.settle),
    complete: dying(port.complete),
  })
  return { front, calls: () => calls }
}

const isKilled = async (work: () => Promise<unknown>): Promise<boolean> => {
  try {
    await work()
    return false
  } catch (error) {
    if (error instanceof Killed) return true
    throw error
  }
}

const accepts = async ({ store }: Storage): Promise<boolean> => !isLeft(await store.checkWritable()())

describe('a copy that is killed', () => {
  for (const when of ['before', 'after'] as const)
    it(`${when} any of its steps leaves the source unchanged, or is finished by a repetition`, async () => {
      const outcomes = new Set<string>()
      let isAlive = true
      for (let step = 1; isAlive; step += 1) {
        const [source, target] = [memoryStorage(), memoryStorage()]
        await fill(source)
        const before = await everything(source)
        const { front } = dyingAt(step, when)
        const sides = {
          source: { ...sideOf(source, 'here'), storeCopy: front(source.storeCopy) },
          target: { ...sideOf(target, 'there'), storeCopy: front(target.storeCopy) },
        }
        isAlive = await isKilled(copy(sides))
        const copyState = await ok(source.storeCopy.readCopyState())
        outcomes.add(`${copyState.state}, ${(await ok(target.storeCopy.readCopyState())).state}`)
        expect(await everything(source)).to.deep.equal(before)
        expect((await accepts(source)) && (await accepts(target)) && copyState.state !== 'open').to.equal(
          false,
        )
        if (copyState.state === 'open') await commitAll(source.store, someChange())
        const expected = await everything(source)

        await ok(copy({ source: sideOf(source, 'here'), target: sideOf(target, 'there') }))
        expect(await everything(target)).to.deep.equal(expected)
        expect([await accepts(source), await accepts(target)]).to.deep.equal([false, true])
      }
      expect([...outcomes].sort()).to.deep.equal([
        'moved, incomplete',
        'moved, open',
        'open, incomplete',
        'open, open',
      ])
    })
})
