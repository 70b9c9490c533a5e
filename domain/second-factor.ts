import { bimap, chain, type Either, fromOption, isRight, left, map } from 'fp-ts/lib/Either.js'
import { pipe } from 'fp-ts/lib/function.js'
import type { NonEmptyArray } from 'fp-ts/lib/NonEmptyArray.js'
import { none, type Option, some } from 'fp-ts/lib/Option.js'
import type { Application } from './application.ts'
import type { SecondMethod } from './assurance.ts'
import type { Factor, FactorUse } from './factor.ts'
import { combineFields, type Field, isPresent, required } from './field.ts'
import { isUsable, type OneTimeTokenFacts } from './one-time-token.ts'
import type { AssertionRefusal } from './passkey.ts'
import { useCode } from './recovery-codes.ts'
import { lacksVerifiedEmail } from './sign-in.ts'
import { acceptStep, type StepCode } from './totp.ts'

/** How long a sign-in waits for the second factor. */
export const SECOND_FACTOR_TTL_SECONDS = 300

/** Whether a sign-in of this application waits for the second factor. None waits if the application requires a verified e-mail meanwhile. */
export const isWaiting =
  (application: Pick<Application, 'id' | 'requiresVerifiedEmail'>, nowSeconds: number) =>
  (facts: OneTimeTokenFacts): boolean =>
    isUsable(facts, 'sign_in', nowSeconds) &&
    facts.token.applicationId === application.id &&
    !lacksVerifiedEmail(application, facts.user)

/** The fields that can prove a second factor. */
export type ProofFields = Readonly<{ totp?: Field; recoveryCode?: Field; credential?: Field }>

/** A proof of a second factor, as sent. */
export type Proof = Readonly<{ method: 'totp' | 'recovery_code' | 'credential'; sent: string }>

/** Returns every proof of a request. */
export const proofsOf = ({ totp, recoveryCode, credential }: ProofFields): ReadonlyArray<Proof> => {
  const fields = { totp, recovery_code: recoveryCode, credential }
  return PROOF_METHODS.flatMap((method) => {
    const sent = fields[method]
    return isPresent(sent) ? [{ method, sent }] : []
  })
}

const PROOF_METHODS = ['totp', 'recovery_code', 'credential'] as const

/** The only element of a list. */
export const onlyElement = <A>([first, ...others]: ReadonlyArray<A>): Option<A> =>
  first !== undefined && others.length === 0 ? some(first) : none

/** Why a proof is refused, as the log says it. */
export type ProofRefusal =
  | 'wrong_code'
  | 'used_code'
  | 'wrong_recovery_code'
  | 'unknown_credential'
  | AssertionRefusal

/** The problem with a refused proof. A used code is not told from a wrong one. */
export type ProofProblem = 'TotpWrong' | 'RecoveryCodeWrong' | 'CredentialInvalid'

export const PROOF_PROBLEMS: Readonly<Record<ProofRefusal, ProofProblem>> = {
  wrong_code: 'TotpWrong',
  used_code: 'TotpWrong',
  wrong_recovery_code: 'RecoveryCodeWrong',
  invalid_credential: 'CredentialInvalid',
  unknown_credential: 'CredentialInvalid',
  user_mismatch: 'CredentialInvalid',
  counter_went_back: 'CredentialInvalid',
  wrong_challenge: 'CredentialInvalid',
  used_challenge: 'CredentialInvalid',
  wrong_origin: 'CredentialInvalid',
  user_not_verified: 'CredentialInvalid',
}

/** The problems behind the codes of docs/second-factor.md. */
export type SecondFactorProblem = 'TokenMissing' | 'ProofMissing' | 'TokenEnded' | ProofProblem

export type SecondFactorRequest = Readonly<{ token: Field }> & ProofFields

const combine = combineFields<SecondFactorProblem>()

/**
 * Returns the proof to judge and the sign-in that waits for it, or all problems of the request. A proof is judged only with a usable
 * token, so none is used up or counted without one.
 *
 * @param waiting the sign-in of the token. It is none if the token is unknown, used, ended or of another application
 */
export const validateSecondFactor = <Waiting>(
  request: SecondFactorRequest,
  waiting: Option<Waiting>,
): Either<NonEmptyArray<SecondFactorProblem>, Readonly<{ waiting: Waiting; proof: Proof }>> =>
  combine({
    waiting: pipe(
      required<SecondFactorProblem>('TokenMissing')(request.token),
      chain(() => fromOption((): NonEmptyArray<SecondFactorProblem> => ['TokenEnded'])(waiting)),
    ),
    proof: fromOption((): NonEmptyArray<SecondFactorProblem> => ['ProofMissing'])(
      onlyElement(proofsOf(request)),
    ),
  })

/** A factor after its use, and what it proves beside the beginning of the authentication. */
export type UsedFactor = FactorUse & Readonly<{ second: SecondMethod }>

/** An authenticator app, and the codes that its secret gives now. */
export type AppCodes = Readonly<{ factor: Factor; candidates: ReadonlyArray<StepCode> }>

/**
 * Returns the app whose code was entered, with its new mark.
 *
 * It compares the codes of every app. If one of them has accepted the code before, it is used: apps may share a secret.
 *
 * @param code of `normalizedCode`
 */
export const acceptTotp = (
  apps: ReadonlyArray<AppCodes>,
  code: string,
  nowStep: number,
): Either<'wrong_code' | 'used_code', UsedFactor> => {
  const judged = apps.map(({ factor, candidates }) =>
    pipe(
      acceptStep({ candidates, code, mark: factor.mark, nowStep }),
      map((mark): UsedFactor => ({ factor: { ...factor, mark }, second: 'totp' })),
    ),
  )
  if (judged.some((one) => !isRight(one) && one.left === 'UsedCode')) return left('used_code')
  return judged.find(isRight) ?? left('wrong_code')
}

/**
 * Returns the recovery codes without the one that was entered.
 *
 * @param digest of the code, after `normalized`
 */
export const acceptRecoveryCode = (
  codes: Factor | undefined,
  digest: string,
): Either<'wrong_recovery_code', UsedFactor> =>
  codes === undefined
    ? left('wrong_recovery_code')
    : pipe(
        useCode(codes.material.split(' '), digest),
        bimap(
          () => 'wrong_recovery_code',
          (rest) => ({
            factor: { ...codes, material: rest.join(' '), counter: rest.length },
            second: 'recovery_code',
          }),
        ),
      )
