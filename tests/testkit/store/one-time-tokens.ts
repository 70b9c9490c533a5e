import assert from 'node:assert/strict'
import { none, some } from 'fp-ts/lib/Option.js'
import type { Change, Row, Store } from '../../../application/ports/store.ts'
import { ONE_TIME_TOKEN_PURPOSES, type OneTimeToken } from '../../../domain/one-time-token.ts'
import {
  anApplication,
  aOneTimeToken,
  aUser,
  change,
  issuedToken,
  newId,
  registeredApplication,
} from '../builders.ts'
import { commitAll, ok } from '../outcome.ts'
import type { Check, SharedCheck } from '../store.ts'

/** A one-time token is found by its digest, with its user and the application that requested it. */
export const oneTimeTokenCases = (check: Check): void => {
  check('a one-time token reads back field by field, with its user and application', async (store) => {
    const application = anApplication({ name: 'shop', scope: ['users:recover'] })
    const user = aUser({ emailVerified: true, passwordVersion: 7 })
    const tokens = ONE_TIME_TOKEN_PURPOSES.map(
      (purpose, index): OneTimeToken => ({
        id: newId(),
        purpose,
        digest: `${index}f`.repeat(32),
        userId: user.id,
        applicationId: application.id,
        passwordVersion: 7,
        sessionsVersion: 4,
        emailVersion: 3,
        email: 'ada@example.org',
        label: index === 0 ? none : some('Firefox on Zoë’s 🦊'),
        remembered: index === 2,
        first: index === 2 ? some('vouched_fed') : none,
        expiresAtSeconds: 4_102_444_803,
        used: index === 1,
        version: 1,
      }),
    )
    await commitAll(store, writing(user, application, ...tokens))
    for (const token of tokens)
      assert.deepEqual(await ok(store.findOneTimeToken(token.digest)), some({ token, user, application }))
  })

  check('an unknown digest finds no one-time token, also among others', async (store) => {
    const { token, user, application } = related({ digest: '5e'.repeat(32) })
    await commitAll(store, writing(user, application, token))
    const others = ['5E'.repeat(32), '5e'.repeat(31), `${'5e'.repeat(32)}5`, '%', token.id, user.id, newId()]
    for (const digest of others) assert.deepEqual(await ok(store.findOneTimeToken(digest)), none, digest)
  })

  check('a one-time token whose user does not exist is none', async (store) => {
    const { token, application } = related()
    await commitAll(store, writing(aUser(), application, token))
    assert.deepEqual(await ok(store.findOneTimeToken(token.digest)), none)
  })

  check('a one-time token whose application does not exist is none', async (store) => {
    const { token, user } = related()
    await commitAll(store, writing(user, anApplication(), token))
    assert.deepEqual(await ok(store.findOneTimeToken(token.digest)), none)
  })

  check('a one-time token, its user and its application are as last written', async (store) => {
    const { token, user, application } = related({ label: some('Firefox') })
    await commitAll(store, writing(user, application, token))
    const used = { ...token, used: true, email: '', label: none, version: 2 }
    await commitAll(store, writing(used))
    assert.deepEqual(await ok(store.findOneTimeToken(token.digest)), some({ token: used, user, application }))
    const [disabled, revoked] = [
      { ...user, status: 'disabled' as const, version: 2 },
      { ...application, revoked: true, version: 2 },
    ]
    await commitAll(store, writing(disabled), writing(revoked))
    assert.deepEqual(
      await ok(store.findOneTimeToken(token.digest)),
      some({ token: used, user: disabled, application: revoked }),
    )
  })

  check('a one-time token is found once the commit has resolved', async (store) => {
    const { user, application } = related()
    await commitAll(store, writing(user, application))
    const startAndRead = async () => {
      const token = aOneTimeToken({ userId: user.id, applicationId: application.id })
      await ok(store.commit(writing(token)))
      assert.deepEqual(await ok(store.findOneTimeToken(token.digest)), some({ token, user, application }))
    }
    await Promise.all(Array.from({ length: 30 }, startAndRead))
  })

  check('a one-time token, its user and its application are of one moment', (store) =>
    allAgree({ writer: store, reader: store }),
  )
}

/** The same, for one handle that reads what another writes. */
export const sharedOneTimeTokenCases = (check: SharedCheck): void => {
  check(
    'a one-time token, its user and its application are of one moment while another handle writes',
    (one, other) => allAgree({ writer: one, reader: other }),
  )
}

const allAgree = async ({ writer, reader }: Readonly<{ writer: Store; reader: Store }>): Promise<void> => {
  const { token, user, application } = related()
  const at = (version: number) =>
    writing({ ...token, version }, { ...user, version }, { ...application, version })
  await commitAll(writer, change(registeredApplication()), at(1))
  const look = () => ok(reader.findOneTimeToken(token.digest))
  for (let version = 2; version < 20; version += 1) {
    const early = [look(), look()]
    const written = ok(writer.commit(at(version)))
    const late = [look(), look()]
    for (const found of await Promise.all([...early, ...late])) {
      assert.ok(found._tag === 'Some')
      assert.equal(found.value.user.version, found.value.token.version)
      assert.equal(found.value.application.version, found.value.token.version)
    }
    await written
  }
}

const related = (fields: Partial<OneTimeToken> = {}) => {
  const [user, application] = [aUser(), anApplication()]
  const token = aOneTimeToken({ userId: user.id, applicationId: application.id, ...fields })
  return { token, user, application }
}

/** A change that writes these rows. */
const writing = (...rows: ReadonlyArray<Row['row']>): Change => ({
  ...change(issuedToken()),
  rows: rows.map(rowOf),
})

const rowOf = (row: Row['row']): Row => {
  if ('passwordRecord' in row) return { table: 'users', row }
  if ('keyDigest' in row) return { table: 'applications', row }
  return { table: 'one_time_tokens', row: row as OneTimeToken }
}
