import { isLeft } from 'fp-ts/lib/Either.js'
import { pipe } from 'fp-ts/lib/function.js'
import { isNone, none, type Option, some } from 'fp-ts/lib/Option.js'
import * as TE from 'fp-ts/lib/TaskEither.js'
import { type EnrolmentStartProblem, validateEnrolmentStart } from '../../domain/factor-enrolment.ts'
import type {
  FactorIdProblem,
  FactorRemovalRequest,
  FactorRenamingProblem,
  FactorRenamingRequest,
  RecoveryCodesProblem,
} from '../../domain/factor-management.ts'
import type { Field, Invalid } from '../../domain/field.ts'
import { mayChangeFactors, type PageVisitor, visitorAfterChange } from '../../domain/page-visitor.ts'
import type { PasskeyEnrolmentProblem, PasskeyEnrolmentRequest } from '../../domain/passkey-enrolment.ts'
import type { TotpEnrolmentProblem, TotpEnrolmentRequest } from '../../domain/totp-enrolment.ts'
import type { Clock, Random } from '../ports/environment.ts'
import type { Overloaded } from '../ports/failures.ts'
import type { Sealing } from '../ports/sealing.ts'
import type { Store, StoreUnavailable } from '../ports/store.ts'
import type { InvalidToken } from '../ports/token-format.ts'
import type { RequestContext } from '../recording/recorder.ts'
import type { Throttled } from '../throttling/throttle.ts'
import type { EnrolledOnPage, EnrolOnPage, EnrolPasskeyOnPage } from './enrol-on-page.ts'
import { type ListedFactors, listed } from './list-factors.ts'
import { openProof, sealProof } from './page-proofs.ts'
import type { PasskeysOfPages } from './passkey-ceremony.ts'
import {
  type PageCeremony,
  type ProvePasskey,
  registrationCeremony,
  secondStepCeremony,
  signInCeremony,
} from './passkey-on-page.ts'
import type { ProvePassword, ProveSecondStep } from './prove-on-page.ts'
import type { RemoveFactor } from './remove-factor.ts'
import type { RenameFactor } from './rename-factor.ts'
import type { RenewRecoveryCodes } from './renew-recovery-codes.ts'
import type { ResumeTotpEnrolment, StartTotpEnrolment } from './start-totp-enrolment.ts'

/** What a visitor of the page sees, and the sealed proof for its forms. */
export type Visit = ListedFactors &
  Readonly<{
    visitor: PageVisitor
    proof: string
    /** A second factor is due, and is not proved yet. Nothing else is possible. */
    needsSecondStep: boolean
    /** Why the visitor cannot enrol a factor. */
    enrolmentProblem: Option<EnrolmentProblem>
    /** For the second step if it is due, otherwise for the registration of a passkey. Undefined if it is not possible. */
    ceremony: PageCeremony | undefined
  }>

/** `SwitchedOff`: with `SECOND_FACTORS=off`. */
export type EnrolmentProblem = EnrolmentStartProblem | 'SwitchedOff'

/** A change that makes codes, which are shown once. `proof` is the new one of the visitor. */
export type ShownCodes = Readonly<{ proof: string; codes: Option<ReadonlyArray<string>> }>

/** A change by a visitor. If the proof has ended, then `InvalidToken`. */
type ByVisitor<Request, Problem, A> = (
  context: RequestContext,
  visitor: PageVisitor,
  request: Request,
) => TE.TaskEither<Invalid<Problem> | InvalidToken | Throttled | Overloaded | StoreUnavailable, A>

/** The use cases of the page on which people without a session manage their second factors (docs/account-pages.md). */
export interface SecurityPage {
  readonly provePassword: ProvePassword
  readonly proveSecondStep: ProveSecondStep
  /** Returns the visitor of a sealed proof. */
  readonly open: (proof: Field) => TE.TaskEither<StoreUnavailable, Option<PageVisitor>>
  readonly look: (visitor: PageVisitor) => TE.TaskEither<StoreUnavailable, Visit>
  readonly rename: ByVisitor<FactorRenamingRequest, FactorRenamingProblem, Visit>
  readonly remove: ByVisitor<FactorRemovalRequest, FactorIdProblem, Visit>
  readonly renewCodes: ByVisitor<void, RecoveryCodesProblem, ShownCodes>
  /** Undefined with `SECOND_FACTORS=off`. */
  readonly enrolTotp:
    | Readonly<{
        start: StartTotpEnrolment
        resume: ResumeTotpEnrolment
        complete: ByVisitor<TotpEnrolmentRequest, TotpEnrolmentProblem, ShownCodes>
      }>
    | undefined
  /** Undefined without passkeys on the pages. */
  readonly passkeys:
    | Readonly<{
        /** Makes a new challenge for a sign-in with a passkey alone. */
        ceremony: () => PageCeremony
        prove: ProvePasskey
        /** Undefined with `SECOND_FACTORS=off`. */
        enrol: ByVisitor<PasskeyEnrolmentRequest, PasskeyEnrolmentProblem, ShownCodes> | undefined
      }>
    | undefined
}

type Dependencies = Readonly<{
  store: Pick<Store, 'findUser' | 'listFactors'>
  sealing: Sealing
  clock: Clock
  random: Random
  provePassword: ProvePassword
  proveSecondStep: ProveSecondStep
  renameFactor: RenameFactor
  removeFactor: RemoveFactor
  renewRecoveryCodes: RenewRecoveryCodes
  readonly enrolTotp:
    | Readonly<{ start: StartTotpEnrolment; resume: ResumeTotpEnrolment; complete: EnrolOnPage }>
    | undefined
  readonly passkeys:
    | Readonly<{ at: PasskeysOfPages; prove: ProvePasskey; enrol: EnrolPasskeyOnPage | undefined }>
    | undefined
}>

export const securityPage = (dependencies: Dependencies): SecurityPage => {
  const { enrolTotp, passkeys } = dependencies
  const enrolPasskey = passkeys?.enrol
  const seal = (visitor: PageVisitor) => sealProof(dependencies, visitor)
  const withCodes = ({ visitor, recoveryCodes }: EnrolledOnPage): ShownCodes => ({
    proof: seal(visitor),
    codes: recoveryCodes,
  })
  const look = lookOf(dependencies)
  /** The change is made, so a failure to show the list must not say that nothing was changed. */
  const lookAfter = (visitor: PageVisitor) =>
    pipe(
      look(visitor),
      TE.mapLeft((failure): StoreUnavailable => ({ ...failure, outcome: 'unknown' })),
    )
  return {
    provePassword: dependencies.provePassword,
    proveSecondStep: dependencies.proveSecondStep,
    open: (proof) => openProof(dependencies, proof),
    look,
    rename: (context, visitor, request) =>
      pipe(
        dependencies.renameFactor(context, visitor, request),
        TE.chainW(() => lookAfter(visitor)),
      ),
    remove: (context, visitor, request) =>
      pipe(
        dependencies.removeFactor(context, visitor, request),
        TE.chainW(() => lookAfter(visitorAfterChange(visitor))),
      ),
    renewCodes: (context, visitor) =>
      pipe(
        dependencies.renewRecoveryCodes(context, visitor),
        TE.map((codes) => ({ proof: seal(visitorAfterChange(visitor)), codes: some(codes) })),
      ),
    enrolTotp: enrolTotp && {
      ...enrolTotp,
      complete: (context, visitor, request) =>
        pipe(enrolTotp.complete(context, visitor, request), TE.map(withCodes)),
    },
    passkeys: passkeys && {
      ceremony: () => signInCeremony({ ...dependencies, passkeys: passkeys.at }),
      prove: passkeys.prove,
      enrol:
        enrolPasskey &&
        ((context, visitor, request) => pipe(enrolPasskey(context, visitor, request), TE.map(withCodes))),
    },
  }
}

const lookOf =
  (dependencies: Dependencies) =>
  (visitor: PageVisitor): TE.TaskEither<StoreUnavailable, Visit> =>
    pipe(
      dependencies.store.listFactors(visitor.user.id),
      TE.map((factors) => {
        const valid = validateEnrolmentStart(visitor.user, factors)
        const needsSecondStep = !mayChangeFactors(visitor, factors)
        const enrolmentProblem: Visit['enrolmentProblem'] =
          dependencies.enrolTotp === undefined
            ? some('SwitchedOff')
            : isLeft(valid)
              ? some(valid.left[0])
              : none
        const at = dependencies.passkeys?.at
        const challenging = at && { ...dependencies, passkeys: at }
        return {
          ...listed(factors),
          visitor,
          proof: sealProof(dependencies, visitor),
          needsSecondStep,
          enrolmentProblem,
          ceremony:
            challenging === undefined
              ? undefined
              : needsSecondStep
                ? secondStepCeremony(challenging, visitor, factors)
                : isNone(enrolmentProblem)
                  ? registrationCeremony(challenging, { holder: visitor, factors })
                  : undefined,
        }
      }),
    )
