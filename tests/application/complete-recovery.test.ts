import { expect } from 'chai'
import { oneTimeToken } from '../../domain/one-time-token.ts'
import type { RecoveryRequest } from '../../domain/recovery.ts'
import { fail, succeed } from '../support/outcome.ts'
import { plainHasher } from '../support/plain-hasher.ts'
import { enrolUser } from '../support/second-factors.ts'
import { type AccountLife, newAccountLife } from './account-life.ts'
import { CONTEXT } from './world.ts'

const INVALID_TOKEN = { _tag: 'Invalid', problems: ['TokenInvalid'] }
const UNKNOWN_TOKEN = oneTimeToken('recovery', new Uint8Array(32))

const completeWith = (life: AccountLife, token: string, request: Partial<RecoveryRequest> = {}) =>
  life.service.completeRecovery(CONTEXT, { token, newPassword: 'new', newPasswordCheck: 'new', ...request })

describe('completeRecovery, given that Ada forgot her password and got a token', () => {
  let life: AccountLife
  let token: string
  beforeEach(async () => {
    life = await newAccountLife({ environment: { THROTTLE_ACCOUNT_FAILURES: '3' } })
    token = await life.recoveryToken()
  })

  const complete = (request: Partial<RecoveryRequest> = {}) => completeWith(life, token, request)
  const signIn = (password: string) =>
    life.service.signIn(CONTEXT, life.caller, { email: life.ada.email, password })
  it('when it succeeds, then only the new password works, and the e-mail is verified', async () => {
    await succeed(complete())
    expect((await fail(signIn('old')))._tag).to.equal('Invalid')
    expect(await succeed(signIn('new'))).to.include({ emailVerified: true })
    expect(await life.disagreements()).to.deep.equal([])
  })

  it('when it succeeds, then every session has ended and none is opened', async () => {
    const { token: session } = await life.signIn()
    await succeed(complete())
    const used = await fail(life.service.authenticate(CONTEXT, 'getProfile', session))
    expect(used).to.deep.equal({ _tag: 'InvalidToken' })
    expect((await life.settledEvents()).filter(({ type }) => type === 'UserSignedIn')).to.have.lengthOf(1)
  })

  it('when it succeeds, then the event names the user as actor, and nothing secret', async () => {
    await succeed(complete())
    const event = (await life.settledEvents()).at(-1)
    expect(event).to.deep.include({
      type: 'PasswordRecovered',
      subject: { kind: 'user', id: life.ada.id },
      actor: { kind: 'user', id: life.ada.id },
    })
    expect(event?.data).to.have.all.keys('password_version', 'password_digest', 'token_id')
    expect(JSON.stringify(event)).not.to.include(token)
  })

  it('when it succeeds, then the row of the token contains no e-mail', async () => {
    await succeed(complete())
    const [row] = await succeed(life.store.listRows({ table: 'one_time_tokens', after: '', limit: 9 }))
    expect(row).to.deep.include({ used: true, email: '', version: 2 })
  })

  it('when sign-ins in a known network had to wait, then one there does not, if the completion names the network', async () => {
    const there = { ...CONTEXT, endUserAddress: '192.0.2.1' }
    const signInThere = (password: string) =>
      life.service.signIn(there, life.caller, { email: life.ada.email, password })
    for (let each = 0; each < 3; each += 1) await fail(signInThere('wrong'))
    expect((await fail(signInThere('old')))._tag).to.equal('Throttled')
    await succeed(
      life.service.completeRecovery(there, { token, newPassword: 'new', newPasswordCheck: 'new' }),
    )
    await succeed(signInThere('new'))
  })

  it('when sign-ins had to wait, then the next one with the new password does not', async () => {
    for (let each = 0; each < 3; each += 1) await fail(signIn('wrong'))
    expect((await fail(signIn('old')))._tag).to.equal('Throttled')
    await succeed(complete())
    await succeed(signIn('new'))
  })

  it('when it is repeated, then the token is used', async () => {
    await succeed(complete())
    expect(await fail(complete())).to.deep.equal(INVALID_TOKEN)
  })

  const REFUSED: ReadonlyArray<
    readonly [what: string, request: Partial<RecoveryRequest>, isKnown: boolean, codes: number[]]
  > = [
    ['nothing', { token: undefined, newPassword: undefined, newPasswordCheck: undefined }, false, [1, 2, 3]],
    ['an unknown token', { token: UNKNOWN_TOKEN }, false, [4]],
    ['a token of another kind', { token: UNKNOWN_TOKEN.replace('ort_', 'oct_') }, false, [4]],
    ['a good token and another repetition', { newPasswordCheck: 'x' }, true, [5]],
  ]
  for (const [what, request, isKnown, codes] of REFUSED) {
    it(`when it comes with ${what}, then that is noted with codes ${codes.join(', ')}`, async () => {
      await fail(complete(request))
      expect((await life.settledEvents()).at(-1)).to.deep.equal({
        type: 'RecoveryRefused',
        subject: isKnown ? { kind: 'user', id: life.ada.id } : { kind: 'service', id: 'portcullis' },
        actor: { kind: 'nobody' },
        data: { codes },
      })
    })
  }

  it('when all sessions were ended, and factors enrolled and renewed, then the token still works', async () => {
    await succeed(life.service.endUserSessions(CONTEXT, life.ada.email))
    await enrolUser(life.store, life.ada.id)
    await succeed(complete())
    expect(await life.disagreements()).to.deep.equal([])
  })

  const ENDS: ReadonlyArray<readonly [how: string, end: () => Promise<unknown>]> = [
    ['the hour is over', async () => life.clock.passSeconds(3600)],
    ['it was used', () => succeed(complete())],
    [
      'the password is changed',
      async () => {
        const { caller } = await life.signIn()
        const request = { oldPassword: 'old', newPassword: 'newer', newPasswordCheck: 'newer' }
        await succeed(life.service.changePassword(CONTEXT, caller, request))
      },
    ],
    ['another token was used', async () => succeed(completeWith(life, await life.recoveryToken()))],
  ]
  for (const [how, end] of ENDS) {
    it(`when ${how}, then the token has ended`, async () => {
      await end()
      expect(await fail(complete())).to.deep.equal(INVALID_TOKEN)
      expect(await life.disagreements()).to.deep.equal([])
    })
  }

  const SESSION_ENDS: ReadonlyArray<readonly [how: string, end: () => Promise<unknown>]> = [
    [
      'all other sessions are ended',
      async () => {
        const { caller } = await life.signIn()
        await succeed(life.service.endOtherSessions(CONTEXT, caller))
      },
    ],
    ['an operator ends all sessions', () => succeed(life.service.endUserSessions(CONTEXT, life.ada.email))],
  ]
  for (const [how, end] of SESSION_ENDS) {
    it(`when ${how}, then the token still works`, async () => {
      await end()
      await succeed(complete())
      expect(await life.disagreements()).to.deep.equal([])
    })
  }

  it('when the password had been changed before the start, then the token works', async () => {
    await succeed(complete())
    await succeed(completeWith(life, await life.recoveryToken(), { newPassword: 'n', newPasswordCheck: 'n' }))
    await succeed(signIn('n'))
  })

  it('when the e-mail on record is confirmed, then the token lives on', async () => {
    const confirmation = await life.confirmationToken()
    await succeed(life.service.completeEmailConfirmation(CONTEXT, { token: confirmation }))
    await succeed(complete())
  })

  it('when a used or ended token is sent, then nothing is hashed', async () => {
    let hashes = 0
    const counting = plainHasher(async () => {
      hashes += 1
      return undefined
    })
    const other = await newAccountLife({ hasher: counting })
    const used = await other.recoveryToken()
    await succeed(completeWith(other, used))
    hashes = 0
    for (const text of [used, UNKNOWN_TOKEN, 'x']) await fail(completeWith(other, text))
    expect(hashes).to.equal(0)
  })
})
