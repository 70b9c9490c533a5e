import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { expect } from 'chai'
import { backUpSqlite } from '../../adapters/stores/sqlite/back-up.ts'
import { sqliteStore } from '../../adapters/stores/sqlite/store.ts'
import type { Store } from '../../application/ports/store.ts'
import type { SigningKey } from '../../domain/signing-key.ts'
import type { User } from '../../domain/user.ts'
import { aKey, aUser, change, createdKey, registered, removedUser } from '../testkit/builders.ts'
import { commitAll, commitAtOnce, tally } from '../testkit/outcome.ts'
import { onFile } from './folder.ts'

const MANY_USERS = 2_000
const MANY_KEYS = 40

describe('overwritten data does not stay in the closed file', () => {
  it(
    'the e-mail and password record of a removed user',
    onFile(async (path) => {
      const [ada, bob] = [aUserOf(1), aUserOf(2)]
      await onStore(path, (store) =>
        commitAll(store, change(registered(ada)), change(registered(bob)), removal(ada)),
      )
      expect(stayed(path, [ada])).to.deep.equal([])
      expect(stayed(path, [bob]), 'what was not removed').to.deep.equal([bob.email, bob.passwordRecord])
    }),
  )

  it(
    'the password records of many users, removed in another order',
    onFile(async (path) => {
      const users = await removeMany(path)
      expect(stayed(path, users).filter((text) => !text.includes('@'))).to.deep.equal([])
    }),
  )

  it(
    `the material of ${MANY_KEYS} leaked keys`,
    onFile(async (path) => {
      const keys = Array.from({ length: MANY_KEYS }, (_, index) => aKeyOf(index + 1))
      await onStore(path, async (store) => {
        await commitAll(store, ...keys.map((key) => change(createdKey(key))))
        await commitAll(store, ...keys.map((key) => change({ _tag: 'SigningKeyRetired', key })))
      })
      const bytes = readFileSync(path)
      expect(keys.filter(({ material }) => bytes.includes(material))).to.deep.equal([])
    }),
  )

  it(
    'any of it, in a back-up',
    onFile(async (path) => {
      const users = await removeMany(path)
      backUpSqlite(path, `${path}-copy`)
      expect(stayed(`${path}-copy`, users)).to.deep.equal([])
    }),
  )
})

/** Text whose parts of eight characters occur nowhere else. */
const unlike = (what: string, index: number): string =>
  createHash('sha256').update(`${what} ${index}`).digest('base64url')

const aUserOf = (index: number): User =>
  aUser({
    email: `${unlike('email', index).slice(index % 20)}@example.com`.toLowerCase(),
    passwordRecord: `1$$${unlike('salt', index)}${unlike('hash', index)}`,
  })

const aKeyOf = (index: number): SigningKey =>
  aKey({ id: `user-${index}`, kid: unlike('kid', index), material: `k4.secret.${unlike('secret', index)}` })

const removal = (user: User) => change(removedUser(user))

const onStore = async (path: string, work: (store: Store) => Promise<void>): Promise<void> => {
  const store = sqliteStore(path)
  await work(store)
  await store.close()
}

/** Registers many users and removes every second one in another order. Returns the removed users. */
const removeMany = async (path: string): Promise<ReadonlyArray<User>> => {
  const users = Array.from({ length: MANY_USERS }, (_, index) => aUserOf(index + 1))
  const gone = users
    .filter((_, index) => index % 2 === 0)
    .toSorted((one, other) => (one.passwordRecord < other.passwordRecord ? -1 : 1))
  await onStore(path, async (store) => {
    for (const changes of [users.map((user) => change(registered(user))), gone.map(removal)]) {
      expect(tally(await commitAtOnce(store, changes))).to.deep.equal({ success: changes.length })
    }
  })
  return gone
}

/** Those of these users’ texts of which any part is still in the file. */
const stayed = (path: string, users: ReadonlyArray<User>): ReadonlyArray<string> => {
  const bytes = readFileSync(path, 'latin1')
  return users
    .flatMap(({ email, passwordRecord }) => [email, passwordRecord])
    .filter((text) => bytes.includes(text))
}
