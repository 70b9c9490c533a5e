import { expect } from 'chai'
import { isRight, left } from 'fp-ts/lib/Either.js'
import pg from 'pg'
import type { Change } from '../../application/ports/store.ts'
import type { User } from '../../domain/user.ts'
import { fail, succeed } from '../support/outcome.ts'
import { postgres } from '../support/postgres.ts'
import { aUser, change, registered, removedUser } from '../testkit/builders.ts'
import { commitAll, wholeLog } from '../testkit/outcome.ts'
import { type OnLine, onLine as onLineWith, PATIENT } from './line.ts'

const onLine = (test: (line: OnLine) => Promise<void>) => onLineWith(test, PATIENT)

const removalOf = (user: User): Change => change(removedUser(user))

const neighbours = (count = 20): ReadonlyArray<Change> =>
  Array.from({ length: count }, () => change(registered()))

/** Makes the server sleep when it inserts a user whose id is like this. */
const sleepOn = (like: string) => `
  CREATE FUNCTION portcullis.sleep() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN PERFORM pg_sleep(600); RETURN NEW; END $$;
  CREATE TRIGGER sleep BEFORE INSERT ON portcullis.users FOR EACH ROW WHEN (NEW.id LIKE '${like}')
    EXECUTE FUNCTION portcullis.sleep()`

/** Runs SQL on a connection that stays open during the work. */
const beside = async (
  url: string,
  sql: string,
  work: (client: pg.Client) => Promise<void>,
): Promise<void> => {
  const client = new pg.Client(url)
  client.on('error', () => {}) // if the test fails, the database is dropped with it
  await client.connect()
  try {
    await client.query(sql)
    await work(client)
  } finally {
    await client.end()
  }
}

const lockOf = (...users: ReadonlyArray<User>) =>
  `BEGIN; SELECT FROM portcullis.users WHERE id IN (${users.map(({ id }) => `'${id}'`).join(', ')}) FOR UPDATE`

const TOO_MANY_HELD = {
  _tag: 'StoreUnavailable',
  reason: 'too many changes wait for locked rows of PostgreSQL',
}

const LOCKED = { _tag: 'StoreUnavailable', reason: 'PostgreSQL says 55P03' }

const idsIn = (changes: ReadonlyArray<Change>) =>
  changes.flatMap(({ events }) => events.map(({ id }) => id)).sort()

if (postgres !== undefined) {
  describe('a change that takes too long on PostgreSQL', () => {
    it(
      'fails alone if its row is locked (55P03), and is not written later',
      onLine(async ({ store, direct }) => {
        const user = aUser()
        const before = change(registered(user))
        await commitAll(store, before)
        await beside(direct, lockOf(user), async (holder) => {
          const others = neighbours()
          const held = fail(store.commit(removalOf(user)))
          await commitAll(store, ...others)
          expect(await held).to.deep.equal(LOCKED)
          await holder.query('ROLLBACK')
          await commitAll(store, ...neighbours(1))
          expect(
            (await wholeLog(store))
              .slice(0, -1)
              .map(({ id }) => id)
              .sort(),
          ).to.deep.equal(idsIn([before, ...others]))
        })
      }),
    )

    for (const [what, count] of [
      ['40 changes of one locked row', 1],
      ['changes of 40 locked rows', 40],
    ] as const)
      it(
        `fails alone, too, if it is one of ${what} that come before each batch of others`,
        onLine(async ({ store, direct }) => {
          const users = Array.from({ length: count }, () => aUser())
          await commitAll(store, ...users.map((user) => change(registered(user))))
          await beside(direct, lockOf(...users), async (holder) => {
            const removals = () =>
              Array.from({ length: 40 }, (_, index) => removalOf(users[index % count] as User))
            const held: Array<ReturnType<ReturnType<typeof store.commit>>> = []
            for (let batch = 0; batch < 3; batch += 1) {
              held.push(...removals().map((each) => store.commit(each)()))
              await commitAll(store, ...neighbours())
            }
            for (const outcome of await Promise.all(held))
              expect(outcome).to.deep.be.oneOf([left(LOCKED), left(TOO_MANY_HELD)])
            await holder.query('ROLLBACK')
            await commitAll(store, ...users.map(removalOf))
            expect(await wholeLog(store)).to.have.length(2 * count + 60)
          })
        }),
      )

    it(
      'succeeds after its neighbours if the lock of its row ends in time',
      onLine(async ({ store, direct }) => {
        const user = aUser()
        await commitAll(store, change(registered(user)))
        await beside(direct, lockOf(user), async (holder) => {
          const held = succeed(store.commit(removalOf(user)))
          await commitAll(store, ...neighbours())
          await commitAll(store, ...neighbours()) // the next batch does not wait either
          await holder.query('ROLLBACK')
          await held
        })
      }),
    )

    it(
      'fails alone if its statement is given up (57014)',
      onLine(async ({ store, direct }) => {
        const slow = aUser({ id: 'slow' })
        await beside(direct, sleepOn('slow'), async () => {
          const [failed, others] = [fail(store.commit(change(registered(slow)))), neighbours()]
          await commitAll(store, ...others)
          expect(await failed).to.deep.equal({ _tag: 'StoreUnavailable', reason: 'PostgreSQL says 57014' })
          expect((await wholeLog(store)).map(({ id }) => id).sort()).to.deep.equal(idsIn(others))
        })
      }),
    )

    it(
      'is one of a few that are tried again: if all are slow, all fail in the time of a request, and nothing is written',
      onLine(async ({ store, direct }) => {
        await beside(direct, sleepOn('%'), async (client) => {
          const outcomes = await Promise.all(neighbours(200).map((each) => store.commit(each)()))
          for (const outcome of outcomes)
            expect(outcome).to.deep.include({
              left: { _tag: 'StoreUnavailable', reason: 'PostgreSQL says 57014' },
            })
          await client.query('DROP TRIGGER sleep ON portcullis.users')
          await commitAll(store, ...neighbours(1))
          expect(await wholeLog(store)).to.have.length(1)
        })
      }),
    )

    for (const [fate, why] of [
      ['answer lost', 'was written'],
      ['request lost', 'was not written'],
    ] as const)
      it(
        `leaves the outcome of a neighbour unknown until it is resolved, if the answer is lost (the change ${why})`,
        onLine(async ({ store, proxy, direct }) => {
          const user = aUser()
          await commitAll(store, change(registered(user)))
          await beside(direct, lockOf(user), async (holder) => {
            const looked = proxy.next(/^COMMIT\b/, 'held') // of the look at the locked rows
            const others = neighbours()
            const held = store.commit(removalOf(user))()
            const outcomes = Promise.all(others.map((each) => store.commit(each)()))
            const goOn = await looked
            const lost = proxy.next(/^COMMIT\b/, fate)
            goOn()
            await lost
            expect((await outcomes).every(isRight)).to.equal(true)
            await holder.query('ROLLBACK')
            await held
            const found = (await wholeLog(store)).map(({ id }) => id)
            const missing = idsIn(others).filter((id) => found.filter((each) => each === id).length !== 1)
            expect(missing).to.deep.equal([])
          })
        }),
      )
  })
}
