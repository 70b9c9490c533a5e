import { isLeft, left, right } from 'fp-ts/lib/Either.js'
import { pipe } from 'fp-ts/lib/function.js'
import { none, type Option, some } from 'fp-ts/lib/Option.js'
import * as TE from 'fp-ts/lib/TaskEither.js'
import { isAccountPages } from '../../domain/account-pages.ts'
import { APPLICATION_DEFAULTS, DEFAULT_SCOPE } from '../../domain/application.ts'
import { minimumOf, type PasswordPolicy } from '../../domain/password-policy.ts'
import { type NewApplication, newApplication } from '../applications/register-application.ts'
import type { FindWeakness } from '../passwords/find-weakness.ts'
import { SHARE_OF_COMMANDS } from '../passwords/hashing-shares.ts'
import type { Digests, Random } from '../ports/environment.ts'
import type { PasswordCheckUnavailable } from '../ports/failures.ts'
import type { HashingRefused, PasswordHasher } from '../ports/password-hasher.ts'
import type { EmailTaken, Store, StoreUnavailable } from '../ports/store.ts'
import { neverFailsWith, operatorOf, type Recorder, type RequestContext } from '../recording/recorder.ts'
import { newUser, type RegistrationFailure } from './register-user.ts'

/**
 * Makes the first application and the first user in one change. It changes nothing if an application or user was ever
 * registered or imported.
 */
export type FirstRun = (
  context: RequestContext,
) => TE.TaskEither<HashingRefused | PasswordCheckUnavailable | StoreUnavailable, Option<FirstAccounts>>

/** The accounts of a first run. The service does not store these secrets. */
export type FirstAccounts = Pick<NewApplication, 'publicApiKey' | 'privateApiKey'> &
  Readonly<{ email: string; password: string }>

type Dependencies = Readonly<{
  store: Pick<Store, 'findUserByEmail' | 'listRows'>
  hasher: PasswordHasher
  random: Random
  digests: Digests
  record: Recorder
  findWeakness: FindWeakness
  policy: PasswordPolicy
}>

export const firstRun =
  (dependencies: Dependencies): FirstRun =>
  (context) =>
  async () => {
    const exists = await hasAccounts(dependencies.store)()
    if (isLeft(exists)) return exists
    if (exists.right) return right(none)
    const accounts = await createAccounts(dependencies, context)()
    if (isLeft(accounts)) {
      if (accounts.left._tag === 'Invalid' && !accounts.left.problems.includes('EmailTaken'))
        return left(REFUSED)
      // The e-mail is taken if another first run on the same store was faster.
      return accounts.left._tag === 'EmailTaken' || accounts.left._tag === 'Invalid'
        ? right(none)
        : left(accounts.left)
    }
    return right(some(accounts.right))
  }

/** A policy accepts each password that is made here, but a rule may refuse it. */
const REFUSED: PasswordCheckUnavailable = {
  _tag: 'PasswordCheckUnavailable',
  reason: 'a password rule refuses the password of a first run',
}

/**
 * Whether an application or a user was ever registered or imported. Their rows remain when they are revoked or removed. The service makes the
 * applications of its pages itself.
 */
export const hasAccounts = (store: Pick<Store, 'listRows'>): TE.TaskEither<StoreUnavailable, boolean> =>
  pipe(
    hasRow(store, 'applications'),
    TE.chain((exists) => (exists ? TE.right(true) : hasRow(store, 'users'))),
  )

const hasRow = (
  store: Pick<Store, 'listRows'>,
  table: 'applications' | 'users',
): TE.TaskEither<StoreUnavailable, boolean> =>
  pipe(
    store.listRows({ table, after: '', limit: 1 }),
    TE.map((rows) => rows.some(({ id }) => !isAccountPages(id))), // its id comes after all others
  )

const createAccounts =
  (
    { store, hasher, random, digests, record, findWeakness, policy }: Dependencies,
    context: RequestContext,
  ): TE.TaskEither<RegistrationFailure | EmailTaken, FirstAccounts> =>
  async () => {
    const password = newPassword(random, policy)
    const user = await newUser(
      { store, hasher, random, findWeakness },
      { email: FIRST_EMAIL, password },
      { signal: context.signal?.(), share: SHARE_OF_COMMANDS },
    )()
    if (isLeft(user)) return user
    const { application, publicApiKey, privateApiKey } = newApplication(
      { random, digests },
      FIRST_APPLICATION,
    )
    const recorded = await pipe(
      record(
        [
          { _tag: 'ApplicationRegistered', application },
          { _tag: 'UserRegistered', user: user.right },
        ],
        operatorOf(context),
        context,
      ),
      neverFailsWith('Conflict'),
    )()
    if (isLeft(recorded)) return recorded
    return right({ publicApiKey, privateApiKey, email: user.right.email, password })
  }

const FIRST_EMAIL = 'owner@example.com'
const FIRST_APPLICATION = { name: 'first application', scope: DEFAULT_SCOPE, ...APPLICATION_DEFAULTS }

/** Returns a password in hexadecimal, which pastes into any shell. */
const newPassword = (random: Random, policy: PasswordPolicy): string => {
  const bytes = random.bytes(Math.max(PASSWORD_BYTES, Math.ceil(minimumOf(policy) / 2)))
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('')
}

/** 128 bits. A policy may require more. */
const PASSWORD_BYTES = 16
