import { isLeft, left, right } from 'fp-ts/lib/Either.js'
import type { TaskEither } from 'fp-ts/lib/TaskEither.js'
import type { UserCaller } from '../../domain/access.ts'
import { base32 } from '../../domain/base32.ts'
import { type Invalid, invalid } from '../../domain/field.ts'
import { otpauthUri, TOTP_SECRET_BYTES } from '../../domain/totp.ts'
import {
  ENROLMENT_SECONDS,
  enrolmentParts,
  enrolmentSubject,
  type TotpStartProblem,
  validateTotpStart,
} from '../../domain/totp-enrolment.ts'
import type { Clock, Random } from '../ports/environment.ts'
import type { Sealing } from '../ports/sealing.ts'
import type { Store, StoreUnavailable } from '../ports/store.ts'
import { sealState } from '../recording/sealed-state.ts'

/**
 * Makes the secret of an authenticator app (docs/second-factor.md). Nothing is stored: the client brings the sealed enrolment back, and
 * an abandoned one changes nothing.
 */
export type StartTotpEnrolment = (
  caller: UserCaller,
) => TaskEither<Invalid<TotpStartProblem> | StoreUnavailable, StartedTotpEnrolment>

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
  settings: Readonly<{ serviceName: string }>
}>

export const startTotpEnrolment =
  (dependencies: Dependencies): StartTotpEnrolment =>
  ({ user, session }) =>
  async () => {
    const { store, random, settings } = dependencies
    const factors = await store.listFactors(user.id)()
    if (isLeft(factors)) return factors
    const valid = validateTotpStart(user, factors.right)
    if (isLeft(valid)) return left(invalid(valid.left))
    const secret = random.bytes(TOTP_SECRET_BYTES)
    const subject = enrolmentSubject({ user, sessionId: session.id })
    return right({
      enrolment: sealState(dependencies, subject, enrolmentParts(secret)),
      secret: base32(secret),
      uri: otpauthUri({ issuer: settings.serviceName, account: user.email, secret }),
      expiresInSeconds: ENROLMENT_SECONDS,
    })
  }
