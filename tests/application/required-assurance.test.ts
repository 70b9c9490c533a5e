import { expect } from 'chai'
import { isSome } from 'fp-ts/lib/Option.js'
import { nodeDigests } from '../../adapters/node/environment.ts'
import { checkLog } from '../../application/log/check-log.ts'
import { FACTOR_SETTINGS } from '../support/factor-desk.ts'
import { fail, succeed } from '../support/outcome.ts'
import { shopOfAda } from './shop-of-ada.ts'
import { CONTEXT, newWorld, type World } from './world.ts'

const MISSING = { _tag: 'SecondFactorMissing' }
const TOO_LOW = { _tag: 'Invalid', problems: ['AssuranceTooLow'] }

describe('an application that requires a second factor', () => {
  let world: World
  beforeEach(async () => {
    world = await newWorld({ environment: { ...FACTOR_SETTINGS, PASSKEY_RP_ID: 'shop.example' } })
  })

  const { set, signIn, renew, expectRefused, expectNoFailures } = shopOfAda(() => world)
  const require = (requireAal2: boolean) => set({ requireAal2 })
  const expectAgreement = async () => {
    const { store, clock } = world
    const { disagreements } = await succeed(checkLog({ store, clock: clock.read, digests: nodeDigests }))
    expect(disagreements).to.deep.equal([])
  }

  it('opens no session for the right password of a user without one, and notes why', async () => {
    await require(true)
    await expectRefused(MISSING, 'no_second_factor')
    await expectAgreement()
  })

  it('does not count the right password as a failure, and says nothing after a wrong one', async () => {
    await require(true)
    await expectNoFailures(MISSING)
  })

  it('renews no session that the password alone opened, until it requires nothing', async () => {
    const { token } = await succeed(await signIn())
    await require(true)
    expect(await fail(await renew(token))).to.deep.equal(TOO_LOW)
    await succeed(world.service.authenticate(CONTEXT, 'getProfile', token))
    await require(false)
    await succeed(await renew(token))
    await expectAgreement()
  })

  it('is registered with its origins in one change', async () => {
    const passkeyOrigins = ['https://shop.example', 'https://login.shop.example']
    const bank = { name: 'bank', scope: 'users:sign_in', requireAal2: true, passkeyOrigins }
    const { application } = await succeed(world.service.registerApplication(CONTEXT, bank))
    const found = await succeed(world.store.findApplication(application.id))
    expect(isSome(found) && found.value).to.deep.include({ requiredAssurance: 'aal2', passkeyOrigins })
    const written = (await world.events()).map(({ type, version, data }) => [type, version, data])
    expect(written).to.deep.equal([
      [
        'ApplicationRegistered',
        1,
        {
          name: 'bank',
          scope: 'users:sign_in',
          user_token_ttl: null,
          idle_ttl: null,
          session_ttl: null,
          remember_ttl: null,
          required_assurance: 'aal2',
          require_verified_email: false,
          key_id: application.keyId,
        },
      ],
      ['PasskeyOriginsSet', 1, { origins: passkeyOrigins }],
    ])
    await expectAgreement()
  })

  it('is not registered with a wrong origin, and gets all problems together', async () => {
    const wrong = { name: '', scope: 'users:sign_in', passkeyOrigins: ['http://localhost'] }
    expect(await fail(world.service.registerApplication(CONTEXT, wrong))).to.deep.equal({
      _tag: 'Invalid',
      problems: ['NameMalformed', { _tag: 'OriginOutside', origin: 'http://localhost' }],
    })
    expect(await world.events()).to.deep.equal([])
  })

  it('records origins only if they change, and none of a revoked application', async () => {
    const { service, shop } = world
    const set = (origins: ReadonlyArray<string>) =>
      service.setPasskeyOrigins(CONTEXT, shop.application.id, origins)
    for (const hasChanged of [true, false])
      expect(await succeed(set(['https://shop.example']))).to.have.property('hasChanged', hasChanged)
    await succeed(set([]))
    await succeed(service.revokeApplication(CONTEXT, shop.application.id))
    expect(await fail(set([]))).to.deep.equal({ _tag: 'ApplicationRevoked' })
    expect((await world.events()).map(({ type }) => type)).to.deep.equal([
      'PasskeyOriginsSet',
      'PasskeyOriginsSet',
      'ApplicationRevoked',
    ])
  })
})
