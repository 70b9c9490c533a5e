import { expect } from 'chai'
import { some } from 'fp-ts/lib/Option.js'
import type { Change } from '../../application/ports/store.ts'
import { succeed } from '../support/outcome.ts'
import { postgres } from '../support/postgres.ts'
import type { Fate } from '../support/postgres-proxy.ts'
import { aSession, aUser, change, issuedToken, registered, signedIn, signedOut } from '../testkit/builders.ts'
import { commitAll, commitAtOnce, tally, wholeLog } from '../testkit/outcome.ts'
import { onLine, PATIENT } from './line.ts'

const COMMIT = /^COMMIT\b/

/** The last statement of a write, for each kind of change. */
const WRITES: ReadonlyArray<readonly [string, RegExp, () => Change]> = [
  ['a transaction', COMMIT, () => change(registered(), issuedToken())],
  ['the one statement that appends to the log', /INSERT INTO portcullis.log/, () => change(issuedToken())],
]
const FATES: ReadonlyArray<Fate> = ['request lost', 'answer lost', 'panic']

if (postgres !== undefined) {
  describe('a connection to PostgreSQL that ends during a write', () => {
    for (const [what, statement, made] of WRITES)
      for (const fate of FATES) {
        it(
          `(${what}: ${fate}) leaves the change in the log once and reports success`,
          onLine(async ({ store, proxy }) => {
            const [before, once, after] = [made(), made(), made()]
            await commitAll(store, before)
            const met = proxy.next(statement, fate)
            await commitAll(store, once)
            await met
            await commitAll(store, after, once)
            expect(await idsInLog(store)).to.deep.equal(idsOf(before, once, after))
          }, PATIENT),
        )

        it(
          `(${what}: ${fate}) repeatedly leaves every change of a batch in the log once`,
          onLine(async ({ store, proxy }) => {
            const changes = Array.from({ length: 40 }, made)
            const meet = [
              proxy.next(statement, fate),
              proxy.next(statement, fate),
              proxy.next(statement, fate),
            ]
            const outcomes = await commitAtOnce(store, changes)
            expect(tally(outcomes)).to.deep.equal({ success: 40 })
            await Promise.race(meet) // a completed append is not retried
            expect([...(await idsInLog(store))].sort()).to.deep.equal([...idsOf(...changes)].sort())
          }, PATIENT),
        )
      }

    for (const fate of FATES)
      it(
        `(at the COMMIT: ${fate}) reports the outcome of each change in a batch`,
        onLine(async ({ store, proxy }) => {
          const known = change(issuedToken())
          await commitAll(store, known)
          const session = aSession()
          const user = aUser({ email: 'ada@example.com' })
          const [first, opens] = [change(registered(user)), change(signedIn(session))]
          const conflict = change(signedOut())
          const taken = change(registered(aUser({ email: 'Ada@example.com' })))
          const met = proxy.next(COMMIT, fate)
          const outcomes = await commitAtOnce(store, [first, conflict, taken, opens])
          await met
          expect(
            outcomes.map((outcome) => (outcome._tag === 'Left' ? outcome.left._tag : 'written')),
          ).to.deep.equal(['written', 'Conflict', 'EmailTaken', 'written'])
          expect(await idsInLog(store)).to.deep.equal(idsOf(known, first, opens))
          expect(await succeed(store.findUserByEmail(user.email))).to.deep.equal(some(user))
        }),
      )

    for (const statement of [
      /BEGIN/,
      /FOR UPDATE/,
      /SELECT id FROM portcullis.log/,
      /INSERT INTO portcullis.users/,
    ])
      for (const fate of FATES)
        it(
          `(before the COMMIT, at ${statement.source}: ${fate}) has written nothing, or the write is retried`,
          onLine(async ({ store, proxy }) => {
            const once = change(registered())
            const met = proxy.next(statement, fate)
            const [outcome] = await commitAtOnce(store, [once])
            await met
            const isWritten = outcome?._tag === 'Right'
            if (outcome?._tag === 'Left') expect(outcome.left).not.to.have.property('outcome')
            expect(await idsInLog(store)).to.deep.equal(isWritten ? idsOf(once) : [])
            await commitAll(store, once)
            expect(await idsInLog(store)).to.deep.equal(idsOf(once))
          }),
        )
  })
}

const idsOf = (...changes: ReadonlyArray<Change>): ReadonlyArray<string> =>
  changes.flatMap(({ events }) => events.map(({ id }) => id))

const idsInLog = async (store: Parameters<typeof wholeLog>[0]): Promise<ReadonlyArray<string>> =>
  (await wholeLog(store)).map(({ id }) => id)
