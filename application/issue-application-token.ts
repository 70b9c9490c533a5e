import * as E from 'fp-ts/lib/Either.js'
import { isNone } from 'fp-ts/lib/Option.js'
import type { TaskEither } from 'fp-ts/lib/TaskEither.js'
import { grantedScope, type Scope, scopeText } from '../domain/application.ts'
import type { ApplicationTokenRequest } from '../domain/application-token.ts'
import type { Field } from '../domain/field.ts'
import type { ApplicationTokenClaims } from '../domain/token.ts'
import type { AuthenticateApplication, KeysRefused } from './authenticate-application.ts'
import type { CurrentKeyring } from './keys/keyring.ts'
import type { Clock, Random } from './ports/environment.ts'
import type { StoreUnavailable } from './ports/store.ts'
import type { ApplicationTokens, KeyUnusable } from './ports/token-format.ts'
import type { Fact } from './recording/facts.ts'
import { type Recorder, type RequestContext, ruledOut } from './recording/recorder.ts'

/** The application asks for a scope that it has not, or that there is not. */
export type ScopeNotHeld = Readonly<{ _tag: 'ScopeNotHeld' }>

/**
 * Seed §4.1: an application shows its key pair and gets a token.
 *
 * `scope` asks for less than all the application may do (RFC 6749 §3.3). What the token says comes back beside it.
 */
export type IssueApplicationToken = {
  (call: RequestContext, request: ApplicationTokenRequest): TaskEither<IssuingFailure, IssuedApplicationToken>
  (
    call: RequestContext,
    request: ApplicationTokenRequest & Readonly<{ scope: Field }>,
  ): TaskEither<IssuingFailure | ScopeNotHeld, IssuedApplicationToken>
}

type IssuingFailure = KeysRefused | KeyUnusable | StoreUnavailable

export type IssuedApplicationToken = Readonly<{ token: string; expiresInSeconds: number; scope: string }>

export const issueApplicationToken = ({
  authenticateApplication,
  tokens,
  keyring,
  clock,
  random,
  record,
  settings,
}: Readonly<{
  authenticateApplication: AuthenticateApplication
  tokens: ApplicationTokens
  keyring: CurrentKeyring
  clock: Clock
  random: Random
  record: Recorder
  settings: Readonly<{ issuer: string; applicationTokenTtlSeconds: number }>
}>): IssueApplicationToken => {
  const claimsFor = (id: string, scope: ReadonlyArray<Scope>): ApplicationTokenClaims => {
    const iat = Math.floor(clock() / 1000)
    return {
      iss: settings.issuer,
      sub: id,
      client_id: id,
      aud: settings.issuer,
      iat,
      exp: iat + settings.applicationTokenTtlSeconds,
      jti: random.uuid(),
      scope: scopeText(scope),
    }
  }

  const issue =
    (call: RequestContext, request: ApplicationTokenRequest & Readonly<{ scope?: Field }>) =>
    async (): Promise<E.Either<IssuingFailure | ScopeNotHeld, IssuedApplicationToken>> => {
      const found = await authenticateApplication(call, request)()
      if (E.isLeft(found)) return found
      const { application, keyId } = found.right
      const { id } = application
      const scope = grantedScope(application, request.scope)
      if (isNone(scope)) return SCOPE_NOT_HELD
      const claims = claimsFor(id, scope.value)
      const keys = await keyring()
      if (E.isLeft(keys)) return keys
      const signed = await tokens.sign(claims, keys.right.application.signing)()
      if (E.isLeft(signed)) return signed
      const issued: Fact = {
        _tag: 'ApplicationTokenIssued',
        applicationId: id,
        keyId,
        tokenId: claims.jti,
        expiresAtSeconds: claims.exp,
      }
      const recorded = await record([issued], { kind: 'application', id }, call)()
      return E.isLeft(recorded)
        ? E.left(ruledOut(recorded.left, 'Conflict', 'EmailTaken'))
        : E.right({
            token: signed.right,
            expiresInSeconds: settings.applicationTokenTtlSeconds,
            scope: claims.scope,
          })
    }
  return issue as IssueApplicationToken // whoever asks for no scope asks for none that is not held
}

const SCOPE_NOT_HELD = E.left<ScopeNotHeld>({ _tag: 'ScopeNotHeld' })
