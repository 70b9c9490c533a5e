import { randomBytes, scryptSync, timingSafeEqual } from 'node:crypto'
import { isLeft, right } from 'fp-ts/lib/Either.js'
import { isSome, none, some } from 'fp-ts/lib/Option.js'
import { compose, Dependency, type PasswordHasher, provide, settingsFrom } from 'portcullis'
import { journalStore } from '../examples/adapters/journal-store.ts'

/** A user’s program: the service with a custom hasher and store. Prints its accounts and its port. */

/** `salt$hash`, in hexadecimal, at a cost for tests. */
const hashed = (password: string, salt: string): string =>
  `${salt}$${scryptSync(password, salt, 32, { N: 16 }).toString('hex')}`

const SCHEME = 'scrypt of our own, N=16'

const ownHasher: PasswordHasher = {
  hash: (password) => async () =>
    right({ record: hashed(password, randomBytes(16).toString('hex')), scheme: SCHEME }),
  verify: (password, record) => async () => {
    const stored = isSome(record) ? record.value : hashed('', '')
    const made = hashed(password, stored.split('$')[0] ?? '')
    const isEqual = made.length === stored.length && timingSafeEqual(Buffer.from(made), Buffer.from(stored))
    return right(isEqual && isSome(record))
  },
  verifyMs: (scheme) => (isSome(scheme) && scheme.value !== SCHEME ? none : some(1)),
  assess: (record) => (/^[0-9a-f]{32}\$[0-9a-f]{64}$/.test(record) ? 'current' : 'unreadable'),
}

const settings = settingsFrom(process.env)
if (isLeft(settings)) throw new Error(settings.left.join('\n'))
const service = await compose(
  settings.right,
  provide(Dependency.storage, async () => ({ store: await journalStore('own.journal') })),
  provide(Dependency.passwordHasher, () => ownHasher),
)
const made = await service.firstRun({})()
if (isLeft(made)) throw new Error(made.left._tag)
const port = await service.listen('127.0.0.1', 0)
process.once('SIGTERM', () => service.stop())
process.stdout.write(`${JSON.stringify({ port, accounts: isSome(made.right) ? made.right.value : null })}\n`)
