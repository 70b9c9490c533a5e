import assert from 'node:assert/strict'
import { type Either, isLeft } from 'fp-ts/lib/Either.js'
import type {
  Change,
  Conflict,
  EmailTaken,
  Store,
  StoreUnavailable,
} from '../../../application/ports/store.ts'
import { aUser, change, issuedToken, registered } from '../builders.ts'
import { commitAll, commitAtOnce, ok, wholeLog } from '../outcome.ts'
import type { FailingCheck, LosingCheck } from '../store.ts'
import { METHODS } from './methods.ts'

/** A store that fails says so, in its answer and truthfully. */
export const failingCases = (check: FailingCheck): void => {
  for (const [method, call] of METHODS) {
    check(`${method} neither throws nor rejects while the store fails`, async ({ store, fail }) => {
      await commitAll(store, change(issuedToken()))
      await fail()
      const outcome: Either<Failure, unknown> = await call(store)()
      if (isLeft(outcome)) assertUnavailable(outcome.left)
      else assert.notEqual(method, 'commit', 'a commit succeeded while the store fails')
    })
  }

  check('a store that has failed cannot be written until it is mended', async ({ store, fail, mend }) => {
    await commitAll(store, change(issuedToken()))
    await ok(store.checkWritable())
    await fail()
    await store.commit(change(registered(), issuedToken()))()
    for (let time = 0; time < 3; time += 1) {
      const checked = await store.checkWritable()()
      assert.ok(isLeft(checked), 'it says that it can be written while no change can')
      assertUnavailable(checked.left)
    }
    await ok((await mend()).checkWritable())
  })

  check('a failing store reports correctly what it has not written', async ({ store, fail, mend }) => {
    await commitAll(store, change(issuedToken()))
    await fail()
    const changes = someChanges()
    const outcomes = await commitAtOnce(store, changes)
    const mended = await mend()
    await assertToldTruly({ store: mended, changes, outcomes })
    await assertWrittenOnce(mended, changes)
  })
}

/** A commit with a lost answer is not reported as refused. */
export const losingCases = (check: LosingCheck): void => {
  check('a commit whose answer is lost is unknown, or found to be done', async ({ store, loseAnswer }) => {
    await commitAll(store, change(issuedToken()))
    await loseAnswer()
    const lost = change(registered(), issuedToken())
    const outcome = await store.commit(lost)()
    if (isLeft(outcome)) {
      assertUnavailable(outcome.left)
      assert.equal(
        isUnknown(outcome),
        true,
        `it was written, and the answer is ${JSON.stringify(outcome.left)}`,
      )
    } else assert.deepEqual(await idsInLog(store, lost), idsOf(lost))
  })

  check('a change whose answer was lost is written once when it is committed again', async (opened) => {
    const { store, loseAnswer, mend } = opened
    const lost = change(registered(), issuedToken())
    await loseAnswer()
    await store.commit(lost)()
    const mended = await mend()
    await assertWrittenOnce(mended, [lost])
  })

  check('of concurrent commits with lost answers each is reported correctly', async (opened) => {
    const { store, loseAnswer, mend } = opened
    const changes = someChanges()
    await loseAnswer()
    const outcomes = await commitAtOnce(store, changes)
    const mended = await mend()
    await assertToldTruly({ store: mended, changes, outcomes })
    await assertWrittenOnce(mended, changes)
  })
}

type Failure = Conflict | EmailTaken | StoreUnavailable
type Outcome = Either<Failure, void>

/** Each with a row, so that all go the way on which a store writes both. */
const someChanges = (): ReadonlyArray<Change> =>
  Array.from({ length: 5 }, () => change(registered(aUser()), issuedToken()))

const assertUnavailable = (failure: Failure): void => {
  assert.equal(failure._tag, 'StoreUnavailable')
  const { reason } = failure
  assert.ok(typeof reason === 'string' && reason !== '', 'it says why')
}

const isUnknown = (outcome: Outcome): boolean =>
  isLeft(outcome) && outcome.left._tag === 'StoreUnavailable' && outcome.left.outcome === 'unknown'

/** What is done is in the log, and what is refused is not; what is unknown may be either, but never a part. */
const assertToldTruly = async ({
  store,
  changes,
  outcomes,
}: Readonly<{
  store: Store
  changes: ReadonlyArray<Change>
  outcomes: ReadonlyArray<Outcome>
}>): Promise<void> => {
  for (const [index, outcome] of outcomes.entries()) {
    const made = changes[index]
    assert.ok(made !== undefined)
    const found = await idsInLog(store, made)
    if (isLeft(outcome)) assertUnavailable(outcome.left)
    if (isUnknown(outcome) && found.length === 0) continue
    const isRefused = isLeft(outcome) && !isUnknown(outcome)
    assert.deepEqual(found, isRefused ? [] : idsOf(made), `what is in the log of ${JSON.stringify(outcome)}`)
  }
}

/** Committed again, each is there once. */
const assertWrittenOnce = async (store: Store, changes: ReadonlyArray<Change>): Promise<void> => {
  await commitAll(store, ...changes)
  for (const made of changes) assert.deepEqual(await idsInLog(store, made), idsOf(made))
  const users = changes.flatMap(({ rows }) =>
    rows.flatMap(({ table, row }) => (table === 'users' ? [row] : [])),
  )
  const stored = await ok(store.listRows({ table: 'users', after: '', limit: 100 }))
  for (const user of users)
    assert.deepEqual(
      stored.filter(({ id }) => id === user.id),
      [user],
    )
}

const idsOf = ({ events }: Change): ReadonlyArray<string> => events.map(({ id }) => id)

const idsInLog = async (store: Store, made: Change): Promise<ReadonlyArray<string>> => {
  const ids = idsOf(made)
  return (await wholeLog(store)).map(({ id }) => id).filter((id) => ids.includes(id))
}
