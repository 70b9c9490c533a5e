import { type Either, left, map, right } from 'fp-ts/lib/Either.js'
import { pipe } from 'fp-ts/lib/function.js'
import type { NonEmptyArray } from 'fp-ts/lib/NonEmptyArray.js'
import { isNone, isSome, none, type Option, some, tryCatch } from 'fp-ts/lib/Option.js'
import { type Factor, type FactorFacts, isDue, isIdentity, MAX_IDENTITIES, uuidV8 } from './factor.ts'
import { combineFields, type Field, isPresent } from './field.ts'
import { isRedirectUri, type OpenIdClient } from './redirect-uris.ts'
import { isPossibleLabel } from './sign-in.ts'
import type { User } from './user.ts'

/** The name of a user at another provider: the issuer says whose name the subject is (OpenID Connect Core §2). */
export type IdentityName = Readonly<{ issuer: string; subject: string }>

/** Returns the text of which `identityId` takes the digest, and the material of its factor. */
export const identityMaterial = ({ issuer, subject }: IdentityName): string =>
  JSON.stringify(['identity', issuer, subject])

/** Returns the issuer and the subject in the material of a factor; none if it is damaged. */
export const identityName = (material: string): Option<IdentityName> => {
  const parts = tryCatch((): unknown => JSON.parse(material))
  if (isNone(parts) || !Array.isArray(parts.value)) return none
  const [, issuer, subject] = parts.value
  if (typeof issuer !== 'string' || typeof subject !== 'string') return none
  return identityMaterial({ issuer, subject }) === material ? some({ issuer, subject }) : none
}

/**
 * Returns the id of the factor of an identity. It follows from issuer and subject, so of two users who link one identity, one gets a
 * conflict.
 *
 * @param sha256 of `identityMaterial`, in hexadecimal
 */
export const identityId = (sha256: string): string => uuidV8(sha256)

/** The problems behind the codes of a sign-in with an identity (docs/identities.md), without those of its start and of second factors. */
export type IdentityProblem = 'EmailNotVouchedFor' | 'LinkFirst' | 'UserDisabled' | 'RegistrationOff'

/** A user with all factors that are not removed. */
export type UserWithFactors = Readonly<{ user: User; factors: ReadonlyArray<Factor> }>

/** What a sign-in with an identity is judged by, as of one moment. */
export type IdentityFacts = Readonly<{
  /** The factor of the identity, if anybody has or had it. */
  linked: Option<FactorFacts>
  /** An e-mail that the provider is trusted to have verified. */
  email: Option<string>
  issuer: string
  /** The user with this e-mail. */
  owner: Option<UserWithFactors>
  /** Whether the service and the application let the identity of a stranger make a new user. */
  mayRegister: boolean
}>

/** What a sign-in with an identity does. */
export type IdentityDecision =
  | Readonly<{ kind: 'sign_in'; user: User; factor: Factor }>
  | Readonly<{ kind: 'link'; user: User }>
  | Readonly<{ kind: 'register'; email: string }>

/**
 * Decides whom an identity signs in.
 *
 * A linked identity signs its user in, whatever e-mail it names by now. Another identity is linked only if both sides have verified the
 * e-mail. Otherwise a stranger may have registered it here, or name it there. It is not linked beside a second factor: the provider would
 * replace it. Nor is it linked beside another identity of its provider, who may have given the address to another person. A removed link
 * does not return by itself. Once its user is removed, it is free again.
 */
export const judgeIdentity = ({
  linked,
  email,
  issuer,
  owner,
  mayRegister,
}: IdentityFacts): Either<IdentityProblem, IdentityDecision> => {
  if (isSome(linked) && linked.value.user.status !== 'removed') {
    const { factor, user } = linked.value
    if (factor.removed) return left('LinkFirst')
    return user.status === 'enabled' ? right({ kind: 'sign_in', user, factor }) : left('UserDisabled')
  }
  if (isNone(email)) return left('EmailNotVouchedFor')
  if (isNone(owner)) {
    return mayRegister ? right({ kind: 'register', email: email.value }) : left('RegistrationOff')
  }
  const { user, factors } = owner.value
  if (user.status !== 'enabled') return left('UserDisabled')
  const isFree = user.emailVerified && !isDue(factors) && hasRoomForIdentity(factors)
  return isFree && !factors.some((factor) => isIdentityOf(issuer, factor))
    ? right({ kind: 'link', user })
    : left('LinkFirst')
}

/** Whether the factor is an identity of this issuer. */
export const isIdentityOf = (issuer: string, factor: Factor): boolean =>
  isIdentity(factor) && factor.material.startsWith(identityMaterial({ issuer, subject: '' }).slice(0, -2))

const hasRoomForIdentity = (factors: ReadonlyArray<Factor>): boolean =>
  factors.filter(isIdentity).length < MAX_IDENTITIES

/** The problems behind the codes of a link by a signed-in user (docs/identities.md). */
export type IdentityLinkStartProblem = 'OwnEmailNotVerified' | 'TooManyIdentities'
export type IdentityLinkProblem = IdentityLinkStartProblem | 'IdentityTaken'

/**
 * Returns the user that may link an identity, or why not. Otherwise a stranger who registered an address would link an own identity, and
 * stay in after the owner of the mailbox has recovered the account.
 */
export const validateIdentityLinkStart = ({
  user,
  factors,
}: UserWithFactors): Either<NonEmptyArray<IdentityLinkStartProblem>, User> => {
  if (!user.emailVerified) return left(['OwnEmailNotVerified'])
  return hasRoomForIdentity(factors) ? right(user) : left(['TooManyIdentities'])
}

/**
 * Returns the user that links an identity, or why not.
 *
 * @param linked the factor of the identity, if anybody has or had it
 */
export const validateIdentityLink = (
  own: UserWithFactors,
  linked: Option<FactorFacts>,
): Either<NonEmptyArray<IdentityLinkProblem>, User> =>
  isSome(linked) && !linked.value.factor.removed && linked.value.user.status !== 'removed'
    ? left(['IdentityTaken'])
    : validateIdentityLinkStart(own)

/** The problems behind the codes of the start of a sign-in at a provider. */
export type IdentityStartProblem = 'ProviderUnknown' | 'RedirectUriUnknown'

export type IdentityStartRequest = Readonly<{ provider: Field; redirectUri: Field; loginHint?: Field }>

const combineStart = combineFields<IdentityStartProblem>()

/** Returns the provider and the redirect URI of a start, or all problems of the request. */
export const validateIdentityStart = <Provider extends Readonly<{ name: string }>>(
  { provider: name, redirectUri }: IdentityStartRequest,
  {
    providers,
    client,
  }: Readonly<{
    providers: ReadonlyArray<Provider>
    client: Pick<OpenIdClient, 'redirectUris' | 'clientKind'>
  }>,
): Either<NonEmptyArray<IdentityStartProblem>, Readonly<{ provider: Provider; redirectUri: string }>> => {
  const provider = providers.find((one) => one.name === name)
  return combineStart({
    provider: provider === undefined ? left(['ProviderUnknown']) : right(provider),
    redirectUri:
      isPresent(redirectUri) && isRedirectUri(client, redirectUri)
        ? right(redirectUri)
        : left(['RedirectUriUnknown']),
  })
}

/** The problems behind the codes of its answer, before the answer is judged. */
export type IdentityAnswerProblem = 'TransactionEnded' | 'AnswerMissing'

/** Returns the answer and the transaction that it belongs to, or all problems of the request. */
export const validateIdentityAnswer = <Transaction>(
  answer: Field,
  begun: Option<Transaction>,
): Either<NonEmptyArray<IdentityAnswerProblem>, Readonly<{ answer: string; begun: Transaction }>> =>
  combineAnswer({
    begun: isNone(begun) ? left(['TransactionEnded']) : right(begun.value),
    answer: isPresent(answer) ? right(answer) : left(['AnswerMissing']),
  })

const combineAnswer = combineFields<IdentityAnswerProblem>()

/** The same for a sign-in, which may have a label. */
export type IdentitySignInProblem = IdentityAnswerProblem | 'LabelMalformed'

export const validateIdentitySignIn = <Transaction>(
  { answer, label }: Readonly<{ answer: Field; label?: Field }>,
  begun: Option<Transaction>,
): Either<NonEmptyArray<IdentitySignInProblem>, Readonly<{ answer: string; begun: Transaction }>> =>
  pipe(
    combineSignIn({
      answered: validateIdentityAnswer(answer, begun),
      label: isPossibleLabel(label) ? right(undefined) : left(['LabelMalformed']),
    }),
    map(({ answered }) => answered),
  )

const combineSignIn = combineFields<IdentitySignInProblem>()
