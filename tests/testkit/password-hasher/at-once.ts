import assert from 'node:assert/strict'
import { isRight, match } from 'fp-ts/lib/Either.js'
import { none, some } from 'fp-ts/lib/Option.js'
import type { HashingRefused } from '../../../application/ports/password-hasher.ts'
import type { Check } from '../password-hasher.ts'
import { hash, isOverloaded, REQUEST, verify } from './steps.ts'

/** However much is asked for at once, all of it ends: with the right answer, or because it is too much. */
export const atOnceCases = (check: Check): void => {
  check('concurrent hashes make records of their own passwords', async (hasher) => {
    const passwords = Array.from({ length: 20 }, (_, index) => `password ${index}`)
    const outcomes = await Promise.all(passwords.map((password) => hasher.hash(password, REQUEST)()))
    for (const [index, outcome] of outcomes.entries()) {
      if (!isRight(outcome)) {
        assert.ok(isOverloaded(outcome.left))
        continue
      }
      assert.equal(await verify(hasher, `password ${index}`, outcome.right.record), true)
      assert.equal(await verify(hasher, `password ${index + 1}`, outcome.right.record), false)
    }
  })

  check('concurrent checks have their own answers', async (hasher) => {
    const record = await hash(hasher, 'correct horse')
    const outcomes = await Promise.all(
      Array.from({ length: 30 }, (_, index) => {
        const given = [some(record), none, some('unreadable')][index % 3] ?? none
        const password = index % 2 === 0 ? 'correct horse' : 'another'
        return hasher.verify(password, given, REQUEST)()
      }),
    )
    const isRightAnswer = (index: number) =>
      match(
        (refused: HashingRefused) => isOverloaded(refused),
        (fits: boolean) => fits === (index % 6 === 0),
      )
    for (const [index, outcome] of outcomes.entries()) assert.ok(isRightAnswer(index)(outcome), `${index}`)
  })

  check('of concurrent hashes only the aborted ones are abandoned', async (hasher) => {
    const [going, aborted] = [new AbortController().signal, AbortSignal.abort()]
    const outcomes = await Promise.all(
      Array.from({ length: 20 }, (_, index) =>
        hasher.hash('correct horse', { ...REQUEST, signal: index % 2 === 0 ? going : aborted })(),
      ),
    )
    for (const [index, outcome] of outcomes.entries()) {
      if (isRight(outcome)) assert.equal(index % 2, 0)
      else assert.ok(isOverloaded(outcome.left) || (outcome.left._tag === 'Abandoned' && index % 2 === 1))
    }
  })

  check('after 40 concurrent checks there is room again', async (hasher) => {
    await Promise.all(Array.from({ length: 40 }, () => hasher.verify('correct horse', none, REQUEST)()))
    assert.equal(await verify(hasher, 'correct horse', await hash(hasher, 'correct horse')), true)
  })
}
