import { expect } from 'chai'
import { decodeProtectedHeader } from 'jose'
import { jwtApplicationTokens } from '../../../adapters/driven/jwt/application-tokens.ts'
import { pasetoUserTokens } from '../../../adapters/driven/paseto/user-tokens.ts'
import { succeed } from '../../support/outcome.ts'
import { bytesOf, halvesOf } from '../forge.ts'
import { underAttack } from '../target.ts'

/**
 * One algorithm, Ed25519 (RFC 8032): no RSA padding to forge, no random number to spoil, no secret that is shared. What is
 * signed otherwise is refused: §3.1.
 */
describe('RFC 8725 §3.2 Use Appropriate Algorithms (against §2.1)', () => {
  const target = underAttack()

  it('signs application tokens with EdDSA', () => {
    expect(decodeProtectedHeader(target().application.token).alg).to.equal('EdDSA')
    const [, , signature = ''] = target().application.token.split('.')
    expect(bytesOf(signature)).to.have.length(64)
  })

  it('signs user tokens as PASETO v4.public, which is Ed25519 and nothing else', () => {
    expect(target().user.token).to.match(/^v4\.public\./)
  })

  it('publishes keys for EdDSA and for signatures only, without a secret', async () => {
    const { body } = await target().running.send({ method: 'GET', path: '/.well-known/jwks.json' })
    expect(body.keys).to.have.length.above(0)
    for (const key of body.keys) {
      expect(key).to.have.all.keys('kty', 'crv', 'x', 'kid', 'use', 'alg')
      expect(key).to.include({ kty: 'OKP', crv: 'Ed25519', use: 'sig', alg: 'EdDSA' })
    }
  })

  it('signs the same claims the same way each time, so that no weak random number can give the key away', async () => {
    const { keys, application, user } = target()
    expect(await succeed(jwtApplicationTokens().sign(application.claims, keys.application))).to.equal(
      application.token,
    )
    expect(await succeed(pasetoUserTokens().sign(user.claims, keys.user))).to.equal(user.token)
  })

  it('holds a key of its own for each kind of token', () => {
    const { keys } = target()
    expect(halvesOf(keys.application).d).to.not.equal(halvesOf(keys.user).d)
    expect(keys.application.kid).to.not.equal(keys.user.kid)
  })
})
