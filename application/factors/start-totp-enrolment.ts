import { isLeft, left, right } from 'fp-ts/lib/Either.js'
import { pipe } from 'fp-ts/lib/function.js'
import { map, type Option } from 'fp-ts/lib/Option.js'
import type { TaskEither } from 'fp-ts/lib/TaskEither.js'
import { base32 } from '../../domain/base32.ts'
import { type EnrolmentStartProblem, validateEnrolmentStart } from '../../domain/factor-enrolment.ts'
import { type Field, type Invalid, invalid } from '../../domain/field.ts'
import { otpauthUri, TOTP_SECRET_BYTES } from '../../domain/totp.ts'
import { ENROLMENT_SECONDS, enrolmentParts } from '../../domain/totp-enrolment.ts'
import type { Clock, Random } from '../ports/environment.ts'
import type { Sealing } from '../ports/sealing.ts'
import type { Store, StoreUnavailable } from '../ports/store.ts'
import { sealState } from '../recording/sealed-state.ts'
import type { FactorHolder } from './change-own-factors.ts'
import { enrolmentOf, openEnrolment } from './verify-totp-enrolment.ts'

/**
 * Makes the secret of an authenticator app (docs/second-factor.md). Nothing is stored: the client brings the sealed enrolment back, and
 * an abandoned one changes nothing.
 */
export type StartTotpEnrolment = (
  holder: FactorHolder,
) => TaskEither<Invalid<EnrolmentStartProblem> | StoreUnavailable, StartedTotpEnrolment>

/** `secret` is for users who type it, in base32. `uri` contains it for a QR code. */
export type StartedTotpEnrolment = Readonly<{
  enrolment: string
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
  (holder) =>
  async () => {
    const { user } = holder
    const factors = await dependencies.store.listFactors(user.id)()
    if (isLeft(factors)) return factors
    const valid = validateEnrolmentStart(user, factors.right)
    if (isLeft(valid)) return left(invalid(valid.left))
    const secret = dependencies.random.bytes(TOTP_SECRET_BYTES)
    const enrolment = sealState(dependencies, enrolmentOf(holder), enrolmentParts(secret))
    return right(shown(dependencies.settings, { enrolment, secret, holder }))
  }

/** Returns a started enrolment, for a page that shows it again after a wrong code. */
export type ResumeTotpEnrolment = (holder: FactorHolder, enrolment: Field) => Option<StartedTotpEnrolment>

export const resumeTotpEnrolment =
  (dependencies: Readonly<{ sealing: Sealing; clock: Clock; settings: ServiceName }>): ResumeTotpEnrolment =>
  (holder, enrolment) =>
    pipe(
      openEnrolment(dependencies, enrolment, holder),
      map((secret) => shown(dependencies.settings, { enrolment: enrolment ?? '', secret, holder })),
    )

const shown = (
  { serviceName }: ServiceName,
  { enrolment, secret, holder }: Readonly<{ enrolment: string; secret: Uint8Array; holder: FactorHolder }>,
): StartedTotpEnrolment => ({
  enrolment,
  secret: base32(secret),
  uri: otpauthUri({ issuer: serviceName, account: holder.user.email, secret }),
  expiresInSeconds: ENROLMENT_SECONDS,
})
