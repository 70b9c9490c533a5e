import { pipe } from 'fp-ts/lib/function.js'
import * as O from 'fp-ts/lib/Option.js'
import * as TE from 'fp-ts/lib/TaskEither.js'
import { DEFAULT_SCOPE } from '../domain/application.ts'
import type { EventType } from '../domain/event.ts'
import { minimumOf, type PasswordPolicy } from '../domain/password-policy.ts'
import type { FindWeakness } from './find-weakness.ts'
import type { Digests, Random } from './ports/environment.ts'
import type { Unjudgeable } from './ports/failures.ts'
import type { HashingRefused, PasswordHasher } from './ports/password-hasher.ts'
import type { EmailTaken, Store, StoreUnavailable } from './ports/store.ts'
import { cannotMeet, type Recorder, type RequestContext } from './recording/recorder.ts'
import { type NewApplication, newApplication } from './register-application.ts'
import { newUser, type RegistrationFailure } from './register-user.ts'
import { SHARE_OF_COMMANDS } from './throttling/hashing-shares.ts'

/** What a first run made. The secrets are nowhere else. */
export type FirstAccounts = Pick<NewApplication, 'publicApiKey' | 'privateApiKey'> &
  Readonly<{ email: string; password: string }>

/** Makes an application and a user, both or neither, when nobody was ever registered; otherwise nothing. */
export type FirstRun = (
  call: RequestContext,
) => TE.TaskEither<HashingRefused | Unjudgeable | StoreUnavailable, O.Option<FirstAccounts>>

export const firstRun =
  ({
    store,
    hasher,
    random,
    digests,
    record,
    findWeakness,
    policy,
  }: Readonly<{
    store: Pick<Store, 'findUserByEmail' | 'readEvents'>
    hasher: PasswordHasher
    random: Random
    digests: Digests
    record: Recorder
    findWeakness: FindWeakness
    policy: PasswordPolicy
  }>): FirstRun =>
  (call) => {
    const make: TE.TaskEither<RegistrationFailure | EmailTaken, FirstAccounts> = pipe(
      TE.Do,
      TE.let('password', () =>
        hexadecimal(random.bytes(Math.max(PASSWORD_BYTES, Math.ceil(minimumOf(policy) / 2)))),
      ),
      TE.bind('user', ({ password }) =>
        newUser({ store, hasher, random, findWeakness })(
          { email: FIRST_EMAIL, password },
          { wanted: call.wanted, share: SHARE_OF_COMMANDS },
        ),
      ),
      TE.let('made', () => newApplication(random, digests)(FIRST_APPLICATION)),
      TE.chainFirstW(({ user, made: { application } }) =>
        pipe(
          record(
            [
              { _tag: 'ApplicationRegistered', application },
              { _tag: 'UserRegistered', user },
            ],
            { kind: 'operator' },
            call,
          ),
          cannotMeet('Conflict'),
        ),
      ),
      TE.map(({ password, user: { email }, made: { publicApiKey, privateApiKey } }) => ({
        publicApiKey,
        privateApiKey,
        email,
        password,
      })),
    )

    return pipe(
      hasAccounts(store),
      TE.chainW((taken) => (taken ? TE.right(O.none) : pipe(make, TE.map(O.some)))),
      // The e-mail is taken when another first run on the same store was faster: then there is nothing to make.
      TE.orElse((failure) =>
        failure._tag === 'EmailTaken' || failure._tag === 'Invalid' ? TE.right(O.none) : TE.left(failure),
      ),
    )
  }

/** Whether an application or a user was ever registered. */
export const hasAccounts = (store: Pick<Store, 'readEvents'>): TE.TaskEither<StoreUnavailable, boolean> => {
  const happened = (type: EventType) =>
    pipe(
      store.readEvents({ after: 0, limit: 1, type }),
      TE.map((entries) => entries.length > 0),
    )
  return pipe(
    happened('ApplicationRegistered'),
    TE.chain((applications) => (applications ? TE.right(true) : happened('UserRegistered'))),
  )
}

const FIRST_EMAIL = 'owner@example.com'
const PASSWORD_BYTES = 16 // 128 bits, in hexadecimal so that it pastes into any shell; more where a policy wants more

const FIRST_APPLICATION = { name: 'first application', scope: DEFAULT_SCOPE }

const hexadecimal = (bytes: Uint8Array): string =>
  Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('')
