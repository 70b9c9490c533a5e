import { expect } from 'chai'
import * as TE from 'fp-ts/lib/TaskEither.js'
import { decodeJwt } from 'jose'
import { signUserToken } from '../../application/keys/sign-user-token.ts'
import type { UserTokenFormat } from '../../domain/token.ts'
import { fail, succeed } from '../support/outcome.ts'
import { countingRandom } from './fakes.ts'
import { FORMATS } from './key-processes.ts'
import { CONTEXT, newWorld, type World } from './world.ts'

const OPENID = { OPENID: 'on', ACCOUNT_PAGES: 'on' }
const ISSUER = 'https://service.test'

const isJwt = (token: string): boolean => token.split('.').length === 3

/** A token of Ada's session, for which the caller may name a format. */
const signFor = async (world: World, set: UserTokenFormat, format?: UserTokenFormat) => {
  const { session, user, presented } = (await world.signIn()).caller
  const sign = signUserToken({
    formats: FORMATS,
    keyring: TE.fromTask(world.keyring),
    random: countingRandom(),
    settings: { issuer: ISSUER, userTokenFormat: set },
  })
  return sign({
    user,
    sessionId: session.id,
    applicationId: 'shop',
    assurance: presented,
    issuedAtSeconds: session.authenticatedAtSeconds,
    lifetimeSeconds: 60,
    ...(format && { format }),
  })
}

describe('signUserToken, given an OpenID provider', () => {
  for (const [set, named, jwt] of [
    ['paseto', undefined, false],
    ['paseto', 'paseto', false],
    ['paseto', 'jwt', true],
    ['jwt', undefined, true],
    ['jwt', 'jwt', true],
    ['jwt', 'paseto', false],
  ] as const)
    it(`when USER_TOKEN_FORMAT is ${set} and the caller names ${named ?? 'no format'}, then the token is a ${jwt ? 'JWT' : 'PASETO'}, and valid`, async () => {
      const world = await newWorld({ environment: { ...OPENID, USER_TOKEN_FORMAT: set } })
      const { token } = await succeed(await signFor(world, set, named))
      expect(isJwt(token)).to.equal(jwt)
      if (jwt) expect(decodeJwt(token)).to.include({ iss: ISSUER, aud: ISSUER, client_id: 'shop' })
      const caller = await succeed(world.service.authenticate(CONTEXT, 'getProfile', token))
      expect(caller.user.id).to.equal(world.ada.id)
    })
})

describe('signUserToken, given a service that is none and signs PASETO', () => {
  it('when the caller names JWT, then it fails, because there is no key', async () => {
    expect(await fail(await signFor(await newWorld(), 'paseto', 'jwt'))).to.deep.equal({
      _tag: 'StoreUnavailable',
      reason: 'it has no key for user tokens as JWT',
    })
  })
})
