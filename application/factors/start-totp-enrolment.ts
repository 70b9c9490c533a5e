import { isLeft, left, right } from 'fp-ts/lib/Either.js'
import { pipe } from 'fp-ts/lib/function.js'
import { map, type Option } from 'fp-ts/lib/Option.js'
import type { TaskEither } from 'fp-ts/lib/TaskEither.js'
import { type InsufficientAuthentication, provedForEnrolment, type UserCaller } from '../../domain/access.ts'
import { base32 } from '../../domain/base32.ts'
import { type EnrolmentStartProblem, validateEnrolmentStart } from '../../domain/factor-enrolment.ts'
import { type Field, type Invalid, invalid } from '../../domain/field.ts'
import { otpauthUri, TOTP_SECRET_BYTES } from '../../domain/totp.ts'
import { ENROLMENT_SECONDS, type EnrollingApp, enrolmentParts } from '../../domain/totp-enrolment.ts'
import type { Clock, Random } from '../ports/environment.ts'
import type { Sealing } from '../ports/sealing.ts'
import type { Store, StoreUnavailable } from '../ports/store.ts'
import { sealState } from '../recording/sealed-state.ts'
import { enrolmentOf, openEnrolment } from './verify-totp-enrolment.ts'

/**
 * Makes the secret of an authenticator app (docs/second-factor.md). Nothing is stored: the client brings the sealed enrolment back, and
 * an abandoned one changes nothing.
 */
export type StartTotpEnrolment = (
  caller: UserCaller,
) => TaskEither<
  Invalid<EnrolmentStartProblem> | InsufficientAuthentication | StoreUnavailable,
  StartedTotpEnrolment
>

/** `secret` is for users who type it, in base32. `uri` contains it for a QR code. `factorId` is that of the app once it is enrolled. */
export type StartedTotpEnrolment = Readonly<{
  enrolment: string
  factorId: string
  secret: string
  uri: string
  expiresInSeconds: number
}>

type Dependencies = Readonly<{
  store: Pick<Store, 'listFactors'>
  sealing: Sealing
  clock: Clock
  random: Random
  settings: ServiceName
}>

type ServiceName = Readonly<{ serviceName: string }>

export const startTotpEnrolment =
  (dependencies: Dependencies): StartTotpEnrolment =>
  (caller) =>
  async () => {
    const { user } = caller
    const factors = await dependencies.store.listFactors(user.id)()
    if (isLeft(factors)) return factors
    const proved = provedForEnrolment(caller, factors.right, dependencies.clock() / 1000)
    if (isLeft(proved)) return proved
    const valid = validateEnrolmentStart(user, factors.right)
    if (isLeft(valid)) return left(invalid(valid.left))
    const { random } = dependencies
    const app = { secret: random.bytes(TOTP_SECRET_BYTES), factorId: random.uuid() }
    const enrolment = sealState(dependencies, enrolmentOf(caller), enrolmentParts(app))
    return right(shown(dependencies.settings, { enrolment, app, caller }))
  }

/** Returns a started enrolment, for a page that shows it again after a wrong code. */
export type ResumeTotpEnrolment = (caller: UserCaller, enrolment: Field) => Option<StartedTotpEnrolment>

export const resumeTotpEnrolment =
  (dependencies: Readonly<{ sealing: Sealing; clock: Clock; settings: ServiceName }>): ResumeTotpEnrolment =>
  (caller, enrolment) =>
    pipe(
      openEnrolment(dependencies, enrolment, caller),
      map((app) => shown(dependencies.settings, { enrolment: enrolment ?? '', app, caller })),
    )

const shown = (
  { serviceName }: ServiceName,
  {
    enrolment,
    app: { secret, factorId },
    caller,
  }: Readonly<{ enrolment: string; app: EnrollingApp; caller: UserCaller }>,
): StartedTotpEnrolment => ({
  enrolment,
  factorId,
  secret: base32(secret),
  uri: otpauthUri({ issuer: serviceName, account: caller.user.email, secret }),
  expiresInSeconds: ENROLMENT_SECONDS,
})
