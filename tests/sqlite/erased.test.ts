import { createHash } from 'node:crypto'
import { existsSync, readFileSync, statSync } from 'node:fs'
import Database from 'better-sqlite3'
import { expect } from 'chai'
import { some } from 'fp-ts/lib/Option.js'
import { sqliteStore } from '../../adapters/stores/sqlite/store.ts'
import type { HeldMail, Outbox } from '../../application/ports/outbox.ts'
import type { Change, ExpiringTable, Store } from '../../application/ports/store.ts'
import type { Fact } from '../../application/recording/facts.ts'
import { attributesText } from '../../domain/attributes.ts'
import {
  aFactor,
  aKey,
  anApplication,
  aOneTimeToken,
  aSession,
  aUser,
  change,
  changedPassword,
  createdKey,
  issuedToken,
  registered,
  registeredApplication,
  removedUser,
  renewedSession,
  signedIn,
  signedOut,
  startedRecovery,
} from '../testkit/builders.ts'
import { aMail, held } from '../testkit/outbox/steps.ts'
import { commitAll, commitAtOnce, ok, tally } from '../testkit/outcome.ts'
import { watchingCheckpoints } from './checkpoints.ts'
import { eventually } from './eventually.ts'
import { onFile } from './folder.ts'

const unlike = (what: string, index: number): string =>
  createHash('sha256').update(`${what} ${index}`).digest('hex')

const aUserOf = (index: number) =>
  aUser({ email: `${unlike('email', index)}@example.com`, passwordRecord: `1$$${unlike('hash', index)}` })

/** Those of these texts that occur in the database file or its write-ahead log. */
const stayed = (path: string, texts: ReadonlyArray<string>): ReadonlyArray<string> => {
  const bytes = ['', '-wal'].map((end) =>
    existsSync(`${path}${end}`) ? readFileSync(`${path}${end}`, 'latin1') : '',
  )
  return texts.filter((text) => bytes.some((one) => one.includes(text)))
}

type Erasure = Readonly<{ what: string; changes: ReadonlyArray<Change>; texts: ReadonlyArray<string> }>

const erasures = (): ReadonlyArray<Erasure> => {
  const [ada, bob, cleo, dora] = [aUserOf(1), aUserOf(2), aUserOf(4), aUserOf(5)]
  const attributes = { name: `Dora ${unlike('attribute', 1)}`, metadata: { note: unlike('attribute', 2) } }
  const factor = aFactor({ userId: cleo.id, name: unlike('name', 1), material: unlike('secret', 2) })
  const enrolling = { ...change(issuedToken()), rows: [{ table: 'factors', row: factor } as const] }
  const mail = aMail({ address: `${unlike('address', 1)}@example.com` })
  const key = aKey({ material: `k4.secret.${unlike('secret', 1)}` })
  return [
    {
      what: 'the e-mail and password record of a removed user',
      changes: [change(registered(ada)), change(removedUser(ada))],
      texts: [ada.email, ada.passwordRecord],
    },
    {
      what: 'the attributes of a removed user, and the key of the name',
      changes: [
        change(registered(dora)),
        change({ _tag: 'UserAttributesChanged', user: dora, attributes }),
        change(removedUser({ ...dora, attributes: attributesText(attributes), version: 2 })),
      ],
      texts: [attributes.name, attributes.name.toLowerCase(), attributes.metadata.note],
    },
    {
      what: 'the name and the secret of a factor of a removed user',
      changes: [change(registered(cleo)), enrolling, change(removedUser(cleo, [factor]))],
      texts: [factor.name, factor.material],
    },
    {
      what: 'a replaced password record',
      changes: [
        change(registered(bob)),
        change({ _tag: 'PasswordSet', user: bob, password: { record: '1$$bmV3', scheme: 'scrypt' } }),
      ],
      texts: [bob.passwordRecord],
    },
    {
      what: 'the address of a mail that is withdrawn',
      changes: [
        { ...change(issuedToken()), mails: [mail] },
        { ...change(issuedToken()), withdrawn: [mail.id] },
      ],
      texts: [mail.address],
    },
    {
      what: 'the material of a retired key',
      changes: [change(createdKey(key)), change({ _tag: 'SigningKeyRetired', key })],
      texts: [key.material],
    },
  ]
}

/** The label of a renewed session that has ended, in each way in which a session ends for good. */
const erasedLabels = (): ReadonlyArray<Erasure> => {
  const [user, application] = [aUserOf(3), anApplication()]
  const label = `Firefox ${unlike('label', 1)}`
  const session = aSession({ userId: user.id, expiresAtSeconds: 4_102_000_000, label: some(label) })
  const kept = aSession({ userId: user.id })
  const opened = [
    change(registeredApplication(application), registered(user), signedIn(session), signedIn(kept)),
    change(renewedSession({ session, user, application, expiresAtSeconds: 4_102_000_009 })),
  ]
  const endings: ReadonlyArray<readonly [string, Fact]> = [
    ['signed out', signedOut({ ...session, version: 2 })],
    ['ended by another session', { _tag: 'OtherSessionsEnded', user, session: kept }],
    ['ended by a new password', changedPassword(user, kept)],
    ['ended with all sessions', { _tag: 'SessionsEnded', user }],
    ['ended by a disabling', { _tag: 'UserDisabled', user }],
    ['ended by a removal', removedUser(user)],
  ]
  return endings.map(([how, fact]) => ({
    what: `the label of a renewed session that was ${how}`,
    changes: [...opened, change(fact)],
    texts: [label],
  }))
}

type Deletion = Readonly<{ what: string; table: ExpiringTable; made: Change; texts: ReadonlyArray<string> }>

const deletions = (): ReadonlyArray<Deletion> => {
  const email = `${unlike('email', 3)}@example.com`
  const label = `Firefox ${unlike('label', 2)}`
  return [
    {
      what: 'the e-mail of an expired one-time token',
      table: 'one_time_tokens',
      made: change(startedRecovery(aOneTimeToken({ email, expiresAtSeconds: 1 }))),
      texts: [email],
    },
    {
      what: 'the label of an expired session',
      table: 'sessions',
      made: change(signedIn(aSession({ label: some(label), expiresAtSeconds: 1, endsAtSeconds: 9 }))),
      texts: [label],
    },
  ]
}

describe('erased data disappears from every file of an open store', () => {
  for (const { what, changes, texts } of [...erasures(), ...erasedLabels()]) {
    it(
      `at the next checkpoint: ${what}`,
      onFile(async (path) => {
        const { store, tick } = watchingCheckpoints(() => sqliteStore(path))
        tick()
        await commitAll(store, ...changes)
        await ok(store.eraseEndedLabels(100))
        expect(stayed(path, texts), 'before the checkpoint').to.deep.equal(texts)
        tick()
        expect(stayed(path, texts)).to.deep.equal([])
        await store.close()
      }),
    )
  }

  for (const { what, table, made, texts } of deletions()) {
    it(
      `at the next checkpoint: ${what} that was deleted`,
      onFile(async (path) => {
        const { store, tick } = watchingCheckpoints(() => sqliteStore(path))
        tick()
        await commitAll(store, made)
        expect(await ok(store.deleteExpired({ table, beforeSeconds: 2, limit: 1 }))).to.equal(1)
        expect(stayed(path, texts), 'before the checkpoint').to.not.deep.equal([])
        tick()
        expect(stayed(path, texts)).to.deep.equal([])
        await store.close()
      }),
    )
  }

  const ends: ReadonlyArray<
    readonly [what: string, end: (outbox: Outbox, mail: HeldMail) => Promise<unknown>]
  > = [
    ['settled', (outbox, mail) => ok(outbox.settle(mail))],
    ['dropped', (outbox, { id }) => ok(outbox.drop([id]))],
    [
      'failed long ago',
      async (outbox, mail) => {
        await ok(outbox.settle({ ...mail, failed: { code: '550', keptUntilSeconds: 1 } }))
        await ok(outbox.deleteFailed({ beforeSeconds: 2, limit: 1 }))
      },
    ],
  ]
  for (const [what, end] of ends)
    it(
      `at the next checkpoint: the address of a mail that was ${what}`,
      onFile(async (path) => {
        const { store, tick } = watchingCheckpoints(() => sqliteStore(path))
        tick()
        const { id, claim, mail } = await held(store.outbox)
        await end(store.outbox, { id, claim })
        expect(stayed(path, [mail.address]), 'before the checkpoint').to.deep.equal([mail.address])
        tick()
        expect(stayed(path, [mail.address])).to.deep.equal([])
        await store.close()
      }),
    )

  it(
    'after a blocking reader is gone, without another commit',
    onFile(async (path) => {
      const { store, tick } = watchingCheckpoints(() => sqliteStore(path))
      const ada = aUserOf(1)
      await commitAll(store, change(registered(ada)))
      const reader = new Database(path)
      reader.exec('BEGIN; SELECT count(*) FROM log')
      await commitAll(store, change(removedUser(ada)))
      tick()
      expect(stayed(path, [ada.passwordRecord])).to.deep.equal([ada.passwordRecord])
      reader.close()
      tick()
      expect(stayed(path, [ada.email, ada.passwordRecord])).to.deep.equal([])
      await store.close()
    }),
  )

  it(
    'some checkpoints after another process erased it, with no further checkpoint while nothing is written',
    onFile(async (path) => {
      const { store, tick, count } = watchingCheckpoints(() => sqliteStore(path))
      const ada = aUserOf(1)
      await commitAll(store, change(registered(ada)))
      tick()
      const command = sqliteStore(path)
      await commitAll(command, change(removedUser(ada)))
      await command.close()
      for (let ticks = 0; ticks < 5; ticks += 1) tick()
      expect(stayed(path, [ada.email, ada.passwordRecord])).to.deep.equal([])
      const before = count()
      for (let ticks = 0; ticks < 10; ticks += 1) tick()
      expect(count()).to.equal(before)
      await store.close()
    }),
  )

  it(
    'and a checkpoint keeps the write-ahead log if rows were only added',
    onFile(async (path) => {
      const { store, tick } = watchingCheckpoints(() => sqliteStore(path))
      await commitAll(store, change(registered()))
      tick()
      await commitAll(store, change(registered(), issuedToken()))
      tick()
      expect(statSync(`${path}-wal`).size).to.be.greaterThan(0)
      await store.close()
    }),
  )

  it(
    'within ten seconds while two stores write continuously',
    onFile(async (path) => {
      const stores = [sqliteStore(path), sqliteStore(path)] as const
      const users = Array.from({ length: 200 }, (_, index) => aUserOf(index + 1))
      await commitAll(stores[0], change(registered(users[0] ?? aUser())))
      await commitAtOnce(
        stores[0],
        users.slice(1).map((user) => change(registered(user))),
      )
      let isOver = false
      const writing = stores.map((store) => writeUntil(store, () => isOver))
      const outcomes = await commitAtOnce(
        stores[0],
        users.map((user) => change(removedUser(user))),
      )
      expect(tally(outcomes)).to.deep.equal({ success: users.length })
      const records = users.map(({ passwordRecord }) => passwordRecord)
      await eventually('every password record is gone', () => stayed(path, records).length === 0)
      isOver = true
      await Promise.all(writing)
      for (const store of stores) await store.close()
    }),
  ).timeout(60_000)
})

const writeUntil = async (store: Store, isOver: () => boolean): Promise<void> => {
  while (!isOver())
    await commitAtOnce(
      store,
      Array.from({ length: 20 }, () => change(issuedToken())),
    )
}
