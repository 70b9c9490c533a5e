import { expect } from 'chai'
import type { UserCaller } from '../../domain/access.ts'
import { FACTOR_SETTINGS, totpAt } from '../support/factor-desk.ts'
import { OPERATOR } from '../support/operator.ts'
import { fail, succeed } from '../support/outcome.ts'
import { CONTEXT, newWorld, type World } from './world.ts'

const HOUR = 3_600

const credentials = { email: 'ada.verified@example.com', password: 'old' }

describe('changes of second factors, of which a session has 30 an hour and a user 100', () => {
  let world: World
  let caller: UserCaller
  let factorId: string
  let secret: string
  beforeEach(async () => {
    world = await newWorld({ environment: FACTOR_SETTINGS })
    await succeed(world.service.registerUser(CONTEXT, { ...credentials, emailVerified: true }, OPERATOR))
    const { token } = await succeed(world.service.signIn(CONTEXT, world.caller, credentials))
    caller = await succeed(world.service.authenticate(CONTEXT, 'startEnrolment', token))
    const { enrolTotp } = world.service
    if (enrolTotp === undefined) throw new Error('no enrolment')
    const started = await succeed(enrolTotp.start(caller))
    secret = started.secret
    const { enrolment } = started
    const request = { enrolment, totp: totpAt(secret, world.clock.read()), name: undefined }
    const enrolled = await succeed(enrolTotp.complete(CONTEXT, caller, request))
    factorId = enrolled.id
    caller = await succeed(world.service.authenticate(CONTEXT, 'startEnrolment', enrolled.token))
  })

  const signedInAgain = async (): Promise<UserCaller> => {
    world.clock.passSeconds(30) // an app makes its next code
    const due = await fail(world.service.signIn(CONTEXT, world.caller, credentials))
    const token = due._tag === 'SecondFactorDue' ? due.token : ''
    const totp = totpAt(secret, world.clock.read())
    const signedIn = await succeed(world.service.completeSignIn(CONTEXT, world.caller, { token, totp }))
    return succeed(world.service.authenticate(CONTEXT, 'startEnrolment', signedIn.token))
  }

  let renamed = 0
  const rename = (as: UserCaller = caller, id = factorId) => {
    renamed += 1
    return world.service.renameFactor(CONTEXT, as, { factorId: id, name: `phone ${renamed}` })
  }
  const refusedFor = (retryAfterSeconds: number) => ({
    _tag: 'Throttled',
    retryAfterSeconds,
    tooMany: 'factor_changes',
  })

  it('when a session enrolled one and renamed it 29 times, then its changes wait until the hour is over', async () => {
    for (let each = 0; each < 29; each += 1) await succeed(rename())
    world.clock.passSeconds(600)
    expect(await fail(rename())).to.deep.equal(refusedFor(HOUR - 600))
    expect(await fail(world.service.renewRecoveryCodes(CONTEXT, caller))).to.deep.equal(
      refusedFor(HOUR - 600),
    )
    expect(await fail(world.service.removeFactor(CONTEXT, caller, { factorId }))).to.deep.equal(
      refusedFor(HOUR - 600),
    )
    world.clock.passSeconds(HOUR - 600)
    await succeed(rename())
  })

  it('when a session waits, then another one of the user renames and removes the factor', async () => {
    for (let each = 0; each < 29; each += 1) await succeed(rename())
    expect(await fail(rename())).to.deep.equal(refusedFor(HOUR))
    const other = await signedInAgain()
    await succeed(rename(other))
    await succeed(world.service.removeFactor(CONTEXT, other, { factorId }))
  })

  it('when all sessions of the user made 100, then every other one waits', async () => {
    const sessions = ['first', 'second', 'third', 'fourth'].map((id) => ({
      ...caller,
      session: { ...caller.session, id },
    }))
    for (let each = 0; each < 99; each += 1) await succeed(rename(sessions[each % 4]))
    expect(await fail(rename(sessions[3]))).to.deep.equal(refusedFor(HOUR))
    expect(await fail(rename())).to.deep.equal(refusedFor(HOUR))
  })

  it('when changes are refused for another reason, then they do not count', async () => {
    for (let each = 0; each < 40; each += 1)
      expect(await fail(rename(caller, 'unknown'))).to.have.property('_tag', 'Invalid')
    await succeed(rename())
  })
})
