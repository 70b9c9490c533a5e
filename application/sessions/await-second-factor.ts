import { pipe } from 'fp-ts/lib/function.js'
import type { NonEmptyArray } from 'fp-ts/lib/NonEmptyArray.js'
import type { Option } from 'fp-ts/lib/Option.js'
import * as TE from 'fp-ts/lib/TaskEither.js'
import type { Application } from '../../domain/application.ts'
import type { OtherFirstMethod } from '../../domain/assurance.ts'
import { type Factor, type FactorMethod, methodsFor } from '../../domain/factor.ts'
import { SECOND_FACTOR_TTL_SECONDS } from '../../domain/second-factor.ts'
import type { User } from '../../domain/user.ts'
import { type Passkeys, passkeysAt } from '../factors/passkey-ceremony.ts'
import type { Clock, Digests, Random } from '../ports/environment.ts'
import type { Conflict, StoreUnavailable } from '../ports/store.ts'
import type { Fact } from '../recording/facts.ts'
import { newSecret, newTokenRecord } from '../recording/one-time-tokens.ts'

/** The first step succeeded, and a second factor is due. The sign-in waits: the token and one of the methods complete it. */
export type SecondFactorDue = Readonly<{
  _tag: 'SecondFactorDue'
  token: string
  expiresInSeconds: number
  methods: ReadonlyArray<FactorMethod>
}>

type Dependencies = Readonly<{
  clock: Clock
  random: Random
  digests: Digests
  passkeys: Passkeys | undefined
}>

/** A sign-in after its first step. `first` is none after the password. */
type Waiting = Readonly<{
  user: User
  label: Option<string>
  remember: boolean
  first: Option<OtherFirstMethod>
  factors: ReadonlyArray<Factor>
  application: Application
  write: (facts: NonEmptyArray<Fact>) => TE.TaskEither<Conflict | StoreUnavailable, void>
}>

/** Records that the first step succeeded. The token proves it to the second step. */
export const awaitSecondFactor = (
  dependencies: Dependencies,
  { user, label, remember, first, factors, application, write }: Waiting,
): TE.TaskEither<SecondFactorDue | Conflict | StoreUnavailable, never> => {
  const secret = newSecret(dependencies, 'sign_in')
  const takesPasskeys = passkeysAt(dependencies.passkeys, application) !== undefined
  const token = newTokenRecord(dependencies, user, {
    purpose: 'sign_in',
    digest: secret.digest,
    applicationId: application.id,
    email: '',
    label,
    remembered: remember,
    first,
    ttlSeconds: SECOND_FACTOR_TTL_SECONDS,
  })
  return pipe(
    write([{ _tag: 'SecondFactorRequested', user, token }]),
    TE.chainW(() =>
      TE.left<SecondFactorDue>({
        _tag: 'SecondFactorDue',
        token: secret.text,
        expiresInSeconds: SECOND_FACTOR_TTL_SECONDS,
        methods: methodsFor(factors, takesPasskeys),
      }),
    ),
  )
}
