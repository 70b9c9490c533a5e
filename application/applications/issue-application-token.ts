import { type Either, isLeft, left, right } from 'fp-ts/lib/Either.js'
import { isNone } from 'fp-ts/lib/Option.js'
import type { TaskEither } from 'fp-ts/lib/TaskEither.js'
import { grantedScope, type Scope, scopeText } from '../../domain/application.ts'
import type { ApplicationTokenRequest } from '../../domain/application-token.ts'
import type { Field } from '../../domain/field.ts'
import { type SigningKey, tokenEnd } from '../../domain/signing-key.ts'
import type { ApplicationTokenClaims } from '../../domain/token.ts'
import type { CurrentKeyring } from '../keys/keyring.ts'
import type { Clock, Random } from '../ports/environment.ts'
import type { StoreUnavailable } from '../ports/store.ts'
import type { ApplicationTokens, KeyUnusable } from '../ports/token-format.ts'
import type { Fact } from '../recording/facts.ts'
import type { Refusals } from '../recording/note-refusals.ts'
import { type Recorder, type RequestContext, ruleOut } from '../recording/recorder.ts'
import type { TokenLimit, TooManyTokens } from '../throttling/token-limit.ts'
import type { AuthenticateApplication, ClientAuthenticationFailure } from './authenticate-application.ts'

/**
 * Issues a token for an application's key pair (docs/contract.md §3). `scope` requests some of the application's scopes
 * (RFC 6749 §3.3). With it, an application without scopes gets no token. Without it, it gets one that permits nothing.
 */
export type IssueApplicationToken = {
  (context: RequestContext, request: ApplicationTokenRequest): TaskEither<Failure, IssuedApplicationToken>
  (
    context: RequestContext,
    request: ApplicationTokenRequest & Readonly<{ scope: Field }>,
  ): TaskEither<Failure | ScopeNotHeld | NoScopes, IssuedApplicationToken>
}

type Failure = ClientAuthenticationFailure | TooManyTokens | KeyUnusable | StoreUnavailable

/** The application requests a scope that it does not have, or that does not exist. */
export type ScopeNotHeld = Readonly<{ _tag: 'ScopeNotHeld' }>

/** The application has no scopes, so it cannot request any. */
export type NoScopes = Readonly<{ _tag: 'NoScopes' }>

export type IssuedApplicationToken = Readonly<{ token: string; expiresInSeconds: number; scope: string }>

type Dependencies = Readonly<{
  authenticateApplication: AuthenticateApplication
  tokens: ApplicationTokens
  keyring: CurrentKeyring
  clock: Clock
  random: Random
  record: Recorder
  refusals: Refusals
  tokenLimit: TokenLimit
  settings: Readonly<{ issuer: string; applicationTokenTtlSeconds: number }>
}>

export const issueApplicationToken = (dependencies: Dependencies): IssueApplicationToken => {
  const issue =
    (context: RequestContext, request: ApplicationTokenRequest & Readonly<{ scope?: Field }>) =>
    async (): Promise<Either<Failure | ScopeNotHeld | NoScopes, IssuedApplicationToken>> => {
      const { authenticateApplication, refusals, tokenLimit } = dependencies
      const authenticated = await authenticateApplication(context, request)()
      if (isLeft(authenticated)) return authenticated
      const { application, keyId } = authenticated.right
      const { id } = application
      if ('scope' in request && application.scope.length === 0) return left({ _tag: 'NoScopes' })
      const scope = grantedScope(application, request.scope)
      if (isNone(scope)) return left({ _tag: 'ScopeNotHeld' })
      const counted = tokenLimit.count(id)
      if (isLeft(counted)) {
        const refusal = {
          _tag: 'ApplicationTokenRefused',
          applicationId: id,
          reason: 'too_many_tokens',
        } as const
        refusals.note(refusal, { kind: 'application', id }, context)
        return counted
      }
      const issued = await signAndRecord(dependencies, context, { id, keyId, scope: scope.value })
      if (isLeft(issued)) tokenLimit.refund(id)
      return issued
    }
  return issue as IssueApplicationToken // a request without `scope` cannot fail because of scopes
}

const signAndRecord = async (
  dependencies: Dependencies,
  context: RequestContext,
  { id, keyId, scope }: Readonly<{ id: string; keyId: string; scope: ReadonlyArray<Scope> }>,
): Promise<Either<KeyUnusable | StoreUnavailable, IssuedApplicationToken>> => {
  const { tokens, keyring, record } = dependencies
  const keys = await keyring()
  if (isLeft(keys)) return keys
  const { signing } = keys.right.application
  const claims = claimsFor(dependencies, { id, scope, signing })
  const token = await tokens.sign(claims, signing)()
  if (isLeft(token)) return token
  const issued: Fact = {
    _tag: 'ApplicationTokenIssued',
    applicationId: id,
    keyId,
    tokenId: claims.jti,
    expiresAtSeconds: claims.exp,
  }
  const recorded = await record([issued], { kind: 'application', id }, context)()
  if (isLeft(recorded)) return left(ruleOut(recorded.left, 'Conflict', 'EmailTaken'))
  return right({
    token: token.right,
    expiresInSeconds: claims.exp - claims.iat,
    scope: claims.scope,
  })
}

const claimsFor = (
  { clock, random, settings }: Dependencies,
  { id, scope, signing }: Readonly<{ id: string; scope: ReadonlyArray<Scope>; signing: SigningKey }>,
): ApplicationTokenClaims => {
  const iat = Math.floor(clock() / 1000)
  return {
    iss: settings.issuer,
    sub: id,
    client_id: id,
    aud: settings.issuer,
    iat,
    exp: tokenEnd(signing, iat, settings.applicationTokenTtlSeconds),
    jti: random.uuid(),
    scope: scopeText(scope),
  }
}
