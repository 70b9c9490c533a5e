import { expect } from 'chai'
import { createRemoteJWKSet, customFetch, errors, type JSONWebKeySet, jwksCache, jwtVerify } from 'jose'
import { Dependency, provide } from '../../adapters/index.ts'
import { succeed } from '../support/outcome.ts'
import { CONTEXT } from '../support/request-context.ts'
import { type AtItsUrl, startAtItsUrl } from './at-its-url.ts'

/** jose fetches again for an unknown key id, but not within this time of the last fetch. */
const COOLDOWN_MS = 30_000
const LEAD_SECONDS = 600

describe('jose’s createRemoteJWKSet during a key rotation, over a socket', () => {
  let passedMs: number
  let running: AtItsUrl
  let fetched: number
  let before: string
  let keysBefore: JSONWebKeySet
  beforeEach(async () => {
    passedMs = 0
    running = await startAtItsUrl(
      '',
      {},
      provide(Dependency.clock, () => () => Date.now() + passedMs),
    )
    before = await issue()
    const jwks = remote()
    await verified(before, jwks)
    keysBefore = jwks.jwks() ?? { keys: [] }
    await succeed(running.service.rotateKeys(CONTEXT, { purposes: ['application'], atOnce: false }))
    passedMs += 1000
    fetched = 0
  })
  afterEach(() => running.service.stop())

  const issue = async (): Promise<string> => {
    const { client_id: publicApiKey, secret: privateApiKey } = await running.register('users:sign_in')
    const issued = await succeed(
      running.service.issueApplicationToken(CONTEXT, { publicApiKey, privateApiKey }),
    )
    return issued.token
  }

  /** @param options the cached keys, or the way to fetch */
  const remote = (options: Parameters<typeof createRemoteJWKSet>[1] = {}) =>
    createRemoteJWKSet(new URL('/.well-known/jwks.json', running.issuer), {
      [customFetch]: (...request) => {
        fetched += 1
        return fetch(...request)
      },
      ...options,
    })

  const verified = (token: string, jwks: ReturnType<typeof createRemoteJWKSet>) => {
    const issuer = running.issuer.href.replace(/\/$/, '')
    const currentDate = new Date(Date.now() + passedMs)
    return jwtVerify(token, jwks, { issuer, audience: issuer, typ: 'at+jwt', currentDate })
  }

  it('verifies tokens of both keys with the set fetched before the new key signs', async () => {
    const jwks = remote()
    await verified(before, jwks)
    passedMs += LEAD_SECONDS * 1000
    const after = await issue()
    await verified(after, jwks)
    await verified(before, jwks)
    expect(jwks.coolingDown, 'a fetch is not yet allowed').to.equal(true)
    expect(fetched).to.equal(1)
  })

  it('fetches the new key when it has only the old one', async () => {
    const jwks = remote({ [jwksCache]: { jwks: keysBefore, uat: Date.now() - COOLDOWN_MS - 1 } })
    await verified(before, jwks)
    expect(fetched).to.equal(0)
    passedMs += LEAD_SECONDS * 1000
    await verified(await issue(), jwks)
    expect(fetched).to.equal(1)
    expect(jwks.jwks()?.keys).to.have.length(2)
  })

  it('refuses a key that signs at once after a leak, until it may fetch again', async () => {
    await succeed(running.service.rotateKeys(CONTEXT, { purposes: ['application'], atOnce: true }))
    passedMs += 1000
    const after = await issue()
    const now = remote({ [jwksCache]: { jwks: keysBefore, uat: Date.now() } })
    const failure = await verified(after, now).catch((error: unknown) => error)
    expect(failure).to.be.instanceOf(errors.JWKSNoMatchingKey)
    const later = remote({ [jwksCache]: { jwks: keysBefore, uat: Date.now() - COOLDOWN_MS - 1 } })
    await verified(after, later)
    expect(later.jwks()?.keys).to.have.length(1)
    const old = await verified(before, later).catch((error: unknown) => error)
    expect(old, 'a token of the leaked key').to.be.instanceOf(errors.JWKSNoMatchingKey)
  })
})
