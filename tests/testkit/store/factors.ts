import assert from 'node:assert/strict'
import { isLeft } from 'fp-ts/lib/Either.js'
import { none, some } from 'fp-ts/lib/Option.js'
import type { Store } from '../../../application/ports/store.ts'
import { FACTOR_KINDS, type Factor } from '../../../domain/factor.ts'
import { aFactor, aSession, aUser, newId } from '../builders.ts'
import { commitAll, commitAtOnce, ok, refused, wholeLog } from '../outcome.ts'
import type { Check, SharedCheck } from '../store.ts'
import { newRow, writing } from './tables.ts'

/** The second factors of a user. */
export const factorCases = (check: Check): void => {
  check('a factor reads back field by field, with its user', async (store) => {
    const user = aUser({ emailVerified: true, passwordVersion: 7 })
    const factors = FACTOR_KINDS.map(
      (kind, index): Factor => ({
        id: newId(),
        userId: user.id,
        kind,
        name: 'Zoë’s “phone” 🦊',
        material: `wrapped.v1$2026$c2VjcmV0${index}`,
        mark: 4_102_444_800_123,
        counter: 4_294_967_296,
        answered: '4102444800123.0123456789abcdef 4102444800124.fedcba9876543210',
        flags: 'uv be bs',
        createdAtSeconds: 4_102_444_801,
        usedAtSeconds: index === 0 ? some(4_102_444_802) : none,
        removed: false,
        version: 1,
      }),
    )
    await write(store, user, ...factors)
    for (const factor of factors)
      assert.deepEqual(await ok(store.findFactor(factor.id)), some({ factor, user }))
    assert.deepEqual(await ok(store.listFactors(user.id)), factors)
  })

  check('factors are listed by id, whichever was written first', async (store) => {
    const user = aUser()
    const factors = IN_ORDER.map((id) => aFactor({ id, userId: user.id }))
    await write(store, user, ...[...factors].reverse())
    assert.deepEqual(await ok(store.listFactors(user.id)), factors)
  })

  check('factors of others are not listed, however alike their ids are', async (store) => {
    const own = aFactor({ userId: 'ada' })
    const others = ['Ada', 'ada ', 'ad', 'adaa', 'ad_', '%', ''].map((userId) => aFactor({ userId }))
    await write(store, own, ...others)
    assert.deepEqual(await ok(store.listFactors('ada')), [own])
    assert.deepEqual(await ok(store.listFactors('ad%')), [])
  })

  check('a removed factor is not listed, and is found', async (store) => {
    const user = aUser()
    const [kept, factor] = [aFactor({ userId: user.id }), aFactor({ userId: user.id })]
    const gone = { ...factor, name: '', material: '', removed: true, version: 2 }
    await write(store, user, kept, factor)
    await write(store, gone)
    assert.deepEqual(await ok(store.listFactors(user.id)), [kept])
    assert.deepEqual(await ok(store.findFactor(factor.id)), some({ factor: gone, user }))
  })

  check('a removed factor is listed again once it is written again', async (store) => {
    const factor = aFactor({ removed: true, material: '' })
    const again = { ...factor, removed: false, material: 'again', version: 2 }
    await write(store, factor)
    assert.deepEqual(await ok(store.listFactors(factor.userId)), [])
    await write(store, again)
    assert.deepEqual(await ok(store.listFactors(factor.userId)), [again])
  })

  check('a removed passkey can become one of another user', async (store) => {
    const [former, user] = [aUser(), aUser()]
    const passkey = aFactor({ userId: former.id, kind: 'passkey', material: 'id.key.example.com' })
    const again = { ...passkey, userId: user.id, counter: 7, version: 3 }
    await write(store, former, user, passkey)
    await write(store, { ...passkey, name: '', material: '', removed: true, version: 2 })
    await write(store, again)
    assert.deepEqual(await ok(store.listFactors(former.id)), [])
    assert.deepEqual(await ok(store.listFactors(user.id)), [again])
    assert.deepEqual(await ok(store.findFactor(passkey.id)), some({ factor: again, user }))
  })

  check('of two users who enrol one passkey at once, one is refused with a conflict', async (store) => {
    const passkey = aFactor({ kind: 'passkey' })
    const enrolments = ['ada', 'eve'].map((userId) => ({ ...passkey, userId }))
    const outcomes = await commitAtOnce(
      store,
      enrolments.map((factor) => writingRows(factor)),
    )
    assert.deepEqual(
      outcomes.flatMap((outcome) => (isLeft(outcome) ? [outcome.left] : [])),
      [{ _tag: 'Conflict' }],
    )
    const listed = await Promise.all(['ada', 'eve'].map((userId) => ok(store.listFactors(userId))))
    assert.deepEqual(
      listed.flat(),
      enrolments.filter((_, index) => !outcomes.some((outcome, at) => at === index && isLeft(outcome))),
    )
  })

  check('a factor whose user does not exist is none, and is listed', async (store) => {
    const factor = aFactor()
    await write(store, aUser(), factor)
    assert.deepEqual(await ok(store.findFactor(factor.id)), none)
    assert.deepEqual(await ok(store.listFactors(factor.userId)), [factor])
  })

  check('a factor and its user are as last written', async (store) => {
    const user = aUser()
    const factor = aFactor({ userId: user.id })
    await write(store, user, factor)
    const used = { ...factor, mark: 60_000_001, counter: 9, usedAtSeconds: some(4_102_444_800), version: 2 }
    const later = { ...user, passwordVersion: 2, version: 2 }
    await write(store, used)
    await write(store, later)
    assert.deepEqual(await ok(store.findFactor(factor.id)), some({ factor: used, user: later }))
    assert.deepEqual(await ok(store.listFactors(user.id)), [used])
  })

  check('what is listed once a commit has resolved holds its factor', async (store) => {
    const enrolAndRead = async () => {
      const user = aUser()
      const factor = aFactor({ userId: user.id })
      await write(store, user, factor)
      assert.deepEqual(await ok(store.listFactors(user.id)), [factor])
      assert.deepEqual(await ok(store.findFactor(factor.id)), some({ factor, user }))
    }
    await Promise.all(Array.from({ length: 30 }, enrolAndRead))
  })

  check('of two uses of one factor one is written, and the other is a conflict', async (store) => {
    const factor = aFactor()
    await write(store, factor)
    const uses = [1, 2].map((mark) => writingRows({ ...factor, mark, version: 2 }))
    const outcomes = await commitAtOnce(store, uses)
    assert.deepEqual(
      outcomes.flatMap((outcome) => (isLeft(outcome) ? [outcome.left] : [])),
      [{ _tag: 'Conflict' }],
    )
    const winner = outcomes.findIndex((outcome) => !isLeft(outcome)) + 1
    assert.deepEqual(await ok(store.listFactors(factor.userId)), [{ ...factor, mark: winner, version: 2 }])
  })

  check('a factor, its user and a session are written together, or none of them', async (store) => {
    const user = aUser()
    const session = aSession({ userId: user.id })
    const factor = aFactor({ userId: user.id })
    await write(store, user, session)
    const before = (await wholeLog(store)).length
    const raised = { ...user, passwordVersion: 2, version: 2 }
    const moved = { ...session, passwordVersion: 2, version: 2 }
    for (const stale of [
      [raised, moved, { ...factor, version: 2 }],
      [raised, { ...moved, version: 3 }, factor],
      [{ ...raised, version: 3 }, moved, factor],
    ] as const) {
      await refused(store.commit(writingRows(...stale)), { _tag: 'Conflict' })
      assert.deepEqual(await ok(store.listFactors(user.id)), [])
      assert.deepEqual(await ok(store.findSession(session.id)), some({ session, user, application: none }))
      assert.equal((await wholeLog(store)).length, before)
    }
    await write(store, raised, moved, factor)
    assert.deepEqual(await ok(store.findFactor(factor.id)), some({ factor, user: raised }))
    const facts = { session: moved, user: raised, application: none }
    assert.deepEqual(await ok(store.findSession(session.id)), some(facts))
  })

  check('ten thousand factors of others hide none of a user', async (store) => {
    const user = aUser()
    const own = ['0', 'm', 'z'].map((id) => aFactor({ id, userId: user.id }))
    const others = Array.from({ length: 10_000 }, (_, index) =>
      aFactor({ id: `${index % 2 === 0 ? 'a' : 'p'} ${index}` }),
    )
    const rows = [user, own[1], ...others, own[0], own[2]].filter((row) => row !== undefined)
    for (let at = 0; at < rows.length; at += 1_000) await write(store, ...rows.slice(at, at + 1_000))
    assert.deepEqual(await ok(store.listFactors(user.id)), own)
    for (const factor of own) assert.deepEqual(await ok(store.findFactor(factor.id)), some({ factor, user }))
  })

  check('a factor and its user are of one moment', (store) => bothAgree({ writer: store, reader: store }))
}

/** The same, for one handle that reads what another writes. */
export const sharedFactorCases = (check: SharedCheck): void => {
  check('a factor and its user are of one moment while another handle writes', (one, other) =>
    bothAgree({ writer: one, reader: other }),
  )
}

const bothAgree = async ({ writer, reader }: Readonly<{ writer: Store; reader: Store }>): Promise<void> => {
  const user = aUser()
  const factor = aFactor({ userId: user.id })
  const at = (version: number) => writingRows({ ...factor, version }, { ...user, version })
  await commitAll(writer, writing(newRow('applications')), at(1))
  const look = () => ok(reader.findFactor(factor.id))
  for (let version = 2; version < 20; version += 1) {
    const early = [look(), look()]
    const written = ok(writer.commit(at(version)))
    const late = [look(), look()]
    for (const found of await Promise.all([...early, ...late])) {
      assert.ok(found._tag === 'Some')
      assert.equal(found.value.user.version, found.value.factor.version)
    }
    await written
  }
}

/** The last one takes two units of UTF-16. */
const IN_ORDER = ['10', '9', 'B', 'a', 'aa', 'b', 'é', '\uff5e', '\u{1f98a}']

type Written = ReturnType<typeof aUser> | ReturnType<typeof aSession> | Factor

/** A change that writes these rows. */
const writingRows = (...rows: ReadonlyArray<Written>) =>
  writing(
    ...rows.map((row) => {
      if ('passwordRecord' in row) return { table: 'users', row } as const
      return 'signedOut' in row ? ({ table: 'sessions', row } as const) : ({ table: 'factors', row } as const)
    }),
  )

const write = (store: Store, ...rows: ReadonlyArray<Written>) => commitAll(store, writingRows(...rows))
