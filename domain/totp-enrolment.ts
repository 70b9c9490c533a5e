import { chain, type Either, left, right } from 'fp-ts/lib/Either.js'
import { pipe } from 'fp-ts/lib/function.js'
import type { NonEmptyArray } from 'fp-ts/lib/NonEmptyArray.js'
import { isNone, map, type Option } from 'fp-ts/lib/Option.js'
import { base32, bytesOfBase32 } from './base32.ts'
import { type FactorNameProblem, validateFactorName } from './factor-enrolment.ts'
import { combineFields, type Field, isPresent, required } from './field.ts'
import { proofVersion, type User } from './user.ts'

/**
 * Enrolment of an authenticator app in two requests (docs/second-factor.md). The first one makes a secret, the second one proves
 * that the app makes its codes. The state between them is sealed and in the hands of the client.
 */

/** How long an enrolment may take. */
export const ENROLMENT_SECONDS = 600

/**
 * What a sealed enrolment belongs to: the user, and the session in which it started. A change of the password or of the factors
 * ends it, so one enrolment is completed once. It also ends with its session, and when all sessions are ended together.
 */
export const enrolmentSubject = ({
  user,
  sessionId,
}: Readonly<{
  user: Pick<User, 'id' | 'passwordVersion' | 'allEndedVersion'>
  sessionId: string
}>): ReadonlyArray<string> => ['totp_enrolment', user.id, sessionId, proofVersion(user)]

/** The app that an enrolment makes. Its id is known from the start, so a page can tell that an enrolment which is sent twice was completed. */
export type EnrollingApp = Readonly<{ secret: Uint8Array; factorId: string }>

/** Returns what the sealed state of an enrolment says. */
export const enrolmentParts = ({ secret, factorId }: EnrollingApp): ReadonlyArray<string> => [
  base32(secret),
  factorId,
]

/** Returns the app of an opened enrolment. */
export const enrollingApp = ([secret = '', factorId = '']: ReadonlyArray<string>): Option<EnrollingApp> =>
  pipe(
    bytesOfBase32(secret),
    map((bytes) => ({ secret: bytes, factorId })),
  )

/** The problems behind the codes of the second request. */
export type TotpEnrolmentProblem =
  | 'EnrolmentMissing'
  | 'TotpMissing'
  | 'EnrolmentEnded'
  | 'TotpWrong'
  | FactorNameProblem

export type TotpEnrolmentRequest = Readonly<{ enrolment: Field; totp: Field; name: Field }>

/** What the service found out about the sealed enrolment and the code. */
export type TotpProof<Opened> = Readonly<{
  enrolment: Option<Opened>
  /** The step of the code: none if it is wrong, or the enrolment has ended. */
  step: Option<number>
}>

const combine = combineFields<TotpEnrolmentProblem>()

/** Returns the enrolment, the step of its code and the name, or all problems of the request. */
export const validateTotpEnrolment = <Opened>(
  request: TotpEnrolmentRequest,
  { enrolment, step }: TotpProof<Opened>,
): Either<NonEmptyArray<TotpEnrolmentProblem>, Readonly<{ enrolment: Opened; step: number; name: string }>> =>
  pipe(
    combine({
      enrolment: pipe(
        required<TotpEnrolmentProblem>('EnrolmentMissing')(request.enrolment),
        chain(() => orProblem<TotpEnrolmentProblem>('EnrolmentEnded')(enrolment)),
      ),
      step: pipe(
        required<TotpEnrolmentProblem>('TotpMissing')(request.totp),
        // Without an enrolment, a code can be neither right nor wrong.
        chain(() => (isNone(enrolment) ? right(0) : orProblem<TotpEnrolmentProblem>('TotpWrong')(step))),
      ),
      name: validateFactorName(isPresent(request.name) ? request.name : DEFAULT_NAME),
    }),
  )

const orProblem =
  <P>(problem: P) =>
  <A>(found: Option<A>): Either<NonEmptyArray<P>, A> =>
    isNone(found) ? left([problem]) : right(found.value)

export const DEFAULT_NAME = 'Authenticator app'
