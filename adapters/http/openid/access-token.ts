import { isNone } from 'fp-ts/lib/Option.js'
import * as errors from 'oidc-provider/lib/helpers/errors.js'
import type { OpenIdUseCases } from '../../../application/use-cases/openid.ts'
import { assuranceClaims } from '../../../domain/assurance.ts'
import { lifetimesOf } from '../../../domain/lifetimes.ts'
import { tokenLifetime } from '../../../domain/session.ts'
import { current, type Exchange, found } from './exchange.ts'

/** Signs the access token of this exchange: a user token as JWT, whatever format is set. */
export const signAccessToken = async ({
  signUserToken,
  settings,
  now,
}: OpenIdUseCases): Promise<NonNullable<Exchange['accessToken']>> => {
  const { session: facts, lifetimeSeconds } = current()
  if (facts === undefined || isNone(facts.application)) throw new errors.InvalidGrant('the session has ended')
  const { session, user, application } = facts
  const issuedAtSeconds = Math.floor(now())
  const lifetimes = lifetimesOf(application.value, settings, session.remembered)
  const signed = await found(
    signUserToken({
      user,
      sessionId: session.id,
      applicationId: session.applicationId,
      assurance: assuranceClaims(session),
      issuedAtSeconds,
      lifetimeSeconds: lifetimeSeconds ?? tokenLifetime(session, lifetimes, issuedAtSeconds),
      format: 'jwt',
    }),
  )
  return { token: signed.token, expiresInSeconds: signed.expiresAtSeconds - issuedAtSeconds }
}
