import { expect } from 'chai'
import { isRight, left } from 'fp-ts/lib/Either.js'
import { isSome } from 'fp-ts/lib/Option.js'
import { succeed } from '../support/outcome.ts'
import { change, issuedToken } from '../testkit/builders.ts'
import { CONTEXT, NOW, newWorld, type World } from './world.ts'

const START = Date.parse(NOW) / 1000

/** What a token may do follows from what it says itself, not from what its session proved later. */
for (const format of ['paseto', 'jwt'] as const)
  describe(`a stolen ${format} token, given that its owner authenticates again in the same session`, () => {
    let world: World
    let stolen: string
    let own: string
    beforeEach(async () => {
      world = await newWorld({ environment: { USER_TOKEN_FORMAT: format, SESSION_TTL: '86400' } })
      const here = await world.signIn()
      stolen = here.token
      await isFresh(stolen) // a verified token is remembered
      world.clock.passSeconds(601)
      own = (await succeed(world.service.stepUp(CONTEXT, here.caller, { password: 'old' }))).token
    })

    const isFresh = async (token: string): Promise<boolean> =>
      isRight(await world.service.authenticate(CONTEXT, 'removeFactor', token)())
    const renew = (token: string) => succeed(world.service.renewSession(CONTEXT, world.caller, { token }))
    const introspect = (token: string) => succeed(world.service.introspect(token))

    it('does not become fresh', async () => {
      expect([await isFresh(stolen), await isFresh(own)]).to.deep.equal([false, true])
    })

    it('does not become fresh by a renewal, and the token of the owner stays so', async () => {
      for (const [token, fresh] of [
        [stolen, false],
        [own, true],
      ] as const)
        expect(await isFresh((await renew(token)).token)).to.equal(fresh)
    })

    it('is not fresh even if it is as young as the last authentication asks for', async () => {
      world = await newWorld({ environment: { USER_TOKEN_FORMAT: format } })
      const here = await world.signIn()
      expect(await isFresh(here.token)).to.equal(true)
      world.clock.passSeconds(10)
      const stepped = await succeed(world.service.stepUp(CONTEXT, here.caller, { password: 'old' }))
      expect([await isFresh(here.token), await isFresh(stepped.token)]).to.deep.equal([false, true])
    })

    it('keeps its assurance, also in a renewal and to an application that requires more', async () => {
      await authenticatedWith('password totp')
      const renewed = await renew(stolen)
      expect(renewed).to.deep.include({ acr: 'aal1', amr: ['pwd'] })
      for (const token of [stolen, renewed.token])
        expect(await introspect(token)).to.deep.include({ acr: 'aal1', amr: ['pwd'], auth_time: START })
      await succeed(world.service.setApplication(CONTEXT, world.shop.application.id, { requireAal2: true }))
      const refused = await world.service.renewSession(CONTEXT, world.caller, { token: stolen })()
      expect(refused).to.deep.equal(left({ _tag: 'Invalid', problems: ['AssuranceTooLow'] }))
    })

    /** The session as a step-up with a second factor leaves it. */
    const authenticatedWith = async (methods: 'password totp') => {
      const caller = await succeed(world.service.authenticate(CONTEXT, 'getProfile', own))
      const found = await succeed(world.store.findSession(caller.session.id))
      if (!isSome(found)) throw new Error('the session is gone')
      const { session } = found.value
      const row = {
        ...session,
        methods,
        version: session.version + 1,
      }
      await succeed(world.store.commit({ ...change(issuedToken()), rows: [{ table: 'sessions', row }] }))
    }
  })
