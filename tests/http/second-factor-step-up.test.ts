import { expect } from 'chai'
import { Dependency, provide } from '../../adapters/index.ts'
import { onMemory } from '../support/one-store.ts'
import { plainHasher } from '../support/plain-hasher.ts'
import {
  type FactorDesk,
  PASSED,
  refused,
  START,
  STEP_UP,
  startFactorDesk,
  verdict,
} from '../support/second-factor-service.ts'
import { sessionsAt } from '../support/sessions.ts'
import { claimsOf } from '../support/token-claims.ts'

onMemory('a step-up of a user with a second factor', (stores) => {
  const verified: Array<string> = []
  let desk: FactorDesk & { stop: () => Promise<void> }
  let session: string
  beforeEach(async () => {
    const hasher = plainHasher(async (kind) => {
      verified.push(kind)
      return undefined
    })
    desk = await startFactorDesk(
      stores,
      {},
      provide(Dependency.passwordHasher, () => hasher),
    )
    session = await desk.userToken()
    desk.passSeconds(100)
    verified.length = 0
  })
  afterEach(() => desk.stop())

  const stepUp = (body: object) => desk.post(STEP_UP, session, body)

  for (const [what, amr, proof] of [
    ['a code of the app', ['pwd', 'otp', 'mfa'], () => ({ totp: desk.code() })],
    [
      'a recovery code',
      ['pwd', 'recovery_code', 'mfa'],
      () => ({ recovery_code: desk.ada.recoveryCodes[0] }),
    ],
  ] as const)
    it(`with ${what} moves the time of the authentication, and says how it was`, async () => {
      const { status, body } = await stepUp(proof())
      const { token, ...rest } = body
      expect([status, rest]).to.deep.equal([200, { expires_in: 43_100, acr: 'aal2', amr }])
      expect(claimsOf(token)).to.deep.include({ auth_time: START / 1000 + 100, acr: 'aal2', amr })
      expect(claimsOf(token).sid).to.equal(claimsOf(session).sid)
      const [shown] = await sessionsAt(desk.running).list(token)
      expect(shown).to.deep.include({ acr: 'aal2', amr })
      const [used, ...more] = (await desk.data('FactorUsed')).slice(1)
      expect([used?.kind, more]).to.deep.equal([amr[1] === 'otp' ? 'totp' : 'recovery_codes', []])
      expect(await desk.data('SessionSteppedUp')).to.deep.equal([{ session_id: claimsOf(session).sid, amr }])
      await desk.expectAgreement()
    })

  it('a password does not make a session fresh if a factor is due: the same bytes for right and wrong ones, and no hash', async () => {
    const [right, wrong] = [
      await stepUp({ password: desk.running.user.password }),
      await stepUp({ password: 'wrong' }),
    ]
    expect(verdict(right)).to.deep.equal(refused(6))
    expect(right.body).to.deep.equal(wrong.body)
    expect(verified).to.deep.equal([])
    expect(await desk.data('SessionSteppedUp')).to.deep.equal([])
    expect(await desk.data('SignInRefused')).to.deep.equal([])
  })

  it('refuses each wrong proof with its own code, and notes it with the user as actor', async () => {
    for (const [body, code] of [
      [{}, 1],
      [{ totp: '' }, 1],
      [{ password: 'x', totp: desk.code() }, 1],
      [{ totp: desk.code(), recovery_code: desk.ada.recoveryCodes[0] }, 1],
      [{ totp: desk.wrongCode() }, 3],
      [{ recovery_code: 'wrong' }, 4],
      [{ credential: '{}' }, 5],
    ] as const)
      expect(verdict(await stepUp(body)), JSON.stringify(body)).to.deep.equal(refused(code))
    expect(await desk.reasons(3)).to.deep.equal(['wrong_code', 'wrong_recovery_code', 'invalid_credential'])
    expect(verdict(await stepUp({ totp: desk.code() }))).to.deep.equal(PASSED)
  })

  it('after the last factor is gone, the password steps up again, and the session says so', async () => {
    const { body } = await stepUp({ totp: desk.code() })
    await desk.resetFactors()
    expect((await desk.post(STEP_UP, body.token, { password: 'x' })).status, 'the reset ended it').to.equal(
      401,
    )
    const { body: signedIn } = await desk.signIn()
    const again = await desk.post(STEP_UP, signedIn.token, { password: desk.running.user.password })
    expect(again.body).to.deep.include({ acr: 'aal1', amr: ['pwd'] })
  })
})
