import { expect } from 'chai'
import { decodeProtectedHeader } from 'jose'
import { jwtApplicationTokens } from '../../../adapters/credentials/jwt/application-tokens.ts'
import { pasetoUserTokens } from '../../../adapters/credentials/paseto/user-tokens.ts'
import { succeed } from '../../support/outcome.ts'
import { bytesOf, halvesOf } from '../forge.ts'
import { underAttack } from '../target.ts'

/**
 * The only algorithm is Ed25519 (RFC 8032): no RSA padding, no random nonce, no shared secret. Section 3.1 tests that
 * other algorithms are refused.
 */
describe('RFC 8725 §3.2 Use Appropriate Algorithms (against §2.1)', () => {
  const target = underAttack()

  it('signs application tokens with EdDSA', () => {
    expect(decodeProtectedHeader(target().application.token).alg).to.equal('EdDSA')
    const [, , signature = ''] = target().application.token.split('.')
    expect(bytesOf(signature)).to.have.length(64)
  })

  it('signs user tokens as PASETO v4.public, which is Ed25519', () => {
    expect(target().user.token).to.match(/^v4\.public\./)
  })

  it('publishes keys for EdDSA signatures only, without private halves', async () => {
    const { body } = await target().running.send({ method: 'GET', path: '/.well-known/jwks.json' })
    expect(body.keys).to.have.length.above(0)
    for (const key of body.keys) {
      expect(key).to.have.all.keys('kty', 'crv', 'x', 'kid', 'use', 'alg')
      expect(key).to.include({ kty: 'OKP', crv: 'Ed25519', use: 'sig', alg: 'EdDSA' })
    }
  })

  it('signs the same claims the same way each time, so that no weak nonce can reveal the key', async () => {
    const { keys, application, user } = target()
    expect(await succeed(jwtApplicationTokens().sign(application.claims, keys.application))).to.equal(
      application.token,
    )
    expect(await succeed(pasetoUserTokens().sign(user.claims, keys.user))).to.equal(user.token)
  })

  it('holds a separate key for each kind of token', () => {
    const { keys } = target()
    expect(halvesOf(keys.application).d).to.not.equal(halvesOf(keys.user).d)
    expect(keys.application.kid).to.not.equal(keys.user.kid)
  })
})
