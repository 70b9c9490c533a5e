import { createHash } from 'node:crypto'
import { pipe } from 'fp-ts/lib/function.js'
import { isNone, isSome, none, type Option, some } from 'fp-ts/lib/Option.js'
import * as TE from 'fp-ts/lib/TaskEither.js'
import type { Adapter, AdapterPayload } from 'oidc-provider'
import * as errors from 'oidc-provider/lib/helpers/errors.js'
import type { ProtocolKind } from '../../../application/ports/protocol-state.ts'
import type { OpenIdUseCases } from '../../../application/use-cases/openid.ts'
import { sessionAssurance } from '../../../domain/assurance.ts'
import { signAccessToken } from './access-token.ts'
import { clientMetadata } from './client-metadata.ts'
import { beginWrite, current, found, written } from './exchange.ts'

/** The models of the library that are kept. */
const KINDS: Readonly<Record<string, ProtocolKind>> = {
  Grant: 'grant',
  AuthorizationCode: 'code',
  RefreshToken: 'refresh_token',
  PushedAuthorizationRequest: 'pushed_request',
}

/**
 * What the library keeps between two requests (docs/openid.md). It gets a client only while the application is one, and a grant only while our
 * session with the same id is alive: so every end of a session ends its codes and refresh tokens. The session of a browser is that of the pages,
 * and nothing else is kept.
 */
export const adapterFor =
  (useCases: OpenIdUseCases) =>
  (model: string): Adapter => {
    if (model === 'Client') return { ...NOTHING_KEPT, find: (id) => findClient(useCases, id) }
    if (model === 'Session') return { ...NOTHING_KEPT, find: async () => browserSession() }
    const kind = KINDS[model]
    return kind === undefined ? NOTHING_KEPT : kept(useCases, kind)
  }

const NOTHING_KEPT: Adapter = {
  upsert: async () => undefined,
  find: async () => undefined,
  findByUserCode: async () => undefined,
  findByUid: async () => undefined,
  consume: async () => undefined,
  destroy: async () => undefined,
  revokeByGrantId: async () => undefined,
}

const findClient = async ({ findClient: find }: OpenIdUseCases, id: string) => {
  const application = await found(find(id))
  if (isNone(application)) return undefined
  current().application = application.value
  return clientMetadata(application.value)
}

/** The session of the pages, as the library knows sessions. */
const browserSession = (): AdapterPayload | undefined => {
  const { visitor } = current()
  if (isNone(visitor)) return undefined
  const { session, user } = visitor.value
  const { acr, amr } = sessionAssurance(session)
  return {
    kind: 'Session',
    jti: session.id,
    uid: session.id,
    accountId: user.id,
    loginTs: session.authenticatedAtSeconds,
    acr,
    amr: [...amr],
    exp: session.endsAtSeconds,
    authorizations: {},
  }
}

/** Seconds in which a refresh token that was used again only gets an error: two tabs do that. Later, its session ends. */
const GRACE_SECONDS = 10

/** A code is kept for so long, because its second use ends its session, also after the minute in which it can be exchanged. */
const CODE_KEPT_SECONDS = 600

/** A consumed token is kept for so long, to notice its second use. */
const CONSUMED_KEPT_SECONDS = 86_400

/** Each authorization adds a refresh token to the session of the client in this browser. With one more than these, the oldest ends. */
const REFRESH_TOKENS_OF_A_SESSION = 20

const kept = (useCases: OpenIdUseCases, kind: ProtocolKind): Adapter => {
  const { state, now } = useCases
  return {
    ...NOTHING_KEPT,
    upsert: async (id, { jti: _, ...payload }, expiresInSeconds = 0) => {
      const entry = {
        kind,
        id: storedId(kind, id),
        sessionId: sessionIn(kind, id, payload),
        content: asciiJson(payload),
        expiresAtSeconds:
          Math.floor(now()) + Math.max(expiresInSeconds, kind === 'code' ? CODE_KEPT_SECONDS : 0),
      }
      const { replaces } = current()
      if (kind !== 'refresh_token' || replaces === undefined) return written(state.put(entry))
      const atSeconds = Math.floor(now())
      const keptUntilSeconds = atSeconds + CONSUMED_KEPT_SECONDS
      const isFirst = await written(
        state.replace(replaces.kind, replaces.id, {
          atSeconds,
          keptUntilSeconds,
          unconsumedAtMost: REFRESH_TOKENS_OF_A_SESSION,
          next: entry,
        }),
      )
      // After a lost answer it may be this request that has replaced the token. Nobody else knows the next one.
      if (!isFirst && isNone(await found(state.find(kind, entry.id))))
        await usedAgain(useCases, replaces.kind)
    },
    find: async (id) => {
      const entry = await found(state.find(kind, storedId(kind, id)))
      if (isNone(entry)) return undefined
      const payload: AdapterPayload = { ...JSON.parse(entry.value.content), jti: id }
      if (kind === 'grant' && !(await hasSession(useCases, id))) return undefined
      const { consumedAtSeconds, expiresAtSeconds: exp } = entry.value
      if (isNone(consumedAtSeconds)) return payload
      const isInGrace =
        kind === 'refresh_token' && Math.floor(now()) - consumedAtSeconds.value <= GRACE_SECONDS
      if (isInGrace) return undefined
      // The library would refuse an expired code before it sees that it is consumed.
      return { ...payload, ...(kind === 'code' && { exp }), consumed: consumedAtSeconds.value }
    },
    // The next refresh token replaces it, in one change with its consumption.
    consume: async (id) => {
      if (kind === 'code' || kind === 'refresh_token') current().replaces = { kind, id: storedId(kind, id) }
      if (kind === 'refresh_token') {
        await renew(useCases)
        // Signed before the refresh token is replaced: a client must not lose both if the keys cannot be read.
        current().accessToken = await signAccessToken(useCases)
      }
      if (kind !== 'pushed_request') return
      beginWrite()
      const isFirst = await found(state.consume(kind, storedId(kind, id), Math.floor(now())))
      if (!isFirst) throw new errors.InvalidRequestUri('request_uri was already used')
    },
    // The library destroys a grant if a code or a refresh token is used again.
    destroy: async () => {
      if (kind === 'grant') await endSession(useCases)
    },
  }
}

const asciiJson = (payload: object): string =>
  JSON.stringify(payload).replace(
    /[^ -~]/g,
    (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`,
  )

/** A token is a secret, so only its digest is kept. The id of a grant is that of a session. */
const storedId = (kind: ProtocolKind, id: string): string =>
  kind === 'grant' ? id : createHash('sha256').update(id).digest('hex')

const sessionIn = (kind: ProtocolKind, id: string, { grantId }: AdapterPayload): Option<string> => {
  if (kind === 'grant') return some(id)
  return grantId === undefined ? none : some(grantId)
}

/** Whether the session of a grant is alive. The request then goes on with it. */
const hasSession = async ({ findOpenSession }: OpenIdUseCases, id: string): Promise<boolean> => {
  const session = await found(findOpenSession(id))
  if (isSome(session)) current().session = session.value
  return isSome(session)
}

const renew = async ({ renewClientSession }: OpenIdUseCases): Promise<void> => {
  const exchange = current()
  const { session, context } = exchange
  if (session === undefined) throw new errors.InvalidGrant('the session has ended')
  const renewed = await found(
    pipe(
      renewClientSession(context, session),
      TE.map(some),
      TE.orElse((failure) => (failure._tag === 'NotRenewable' ? TE.right(none) : TE.left(failure))),
    ),
  )
  if (isNone(renewed)) throw new errors.InvalidGrant('the session cannot be renewed')
  exchange.lifetimeSeconds = renewed.value.lifetimeSeconds
}

/** Of uses at once one wins. A second use of a code ends the session; that of a refresh token does so later (`GRACE_SECONDS`). */
const usedAgain = async (useCases: OpenIdUseCases, kind: 'code' | 'refresh_token'): Promise<never> => {
  if (kind === 'code') await endSession(useCases)
  throw new errors.InvalidGrant('used already')
}

const endSession = async ({ endClientSession }: OpenIdUseCases): Promise<void> => {
  const { session, context } = current()
  if (session !== undefined) await found(endClientSession(context, session))
}
