import { expect } from 'chai'
import { userHandleOf } from '../../domain/passkey.ts'
import { eventsOf } from '../support/events.ts'
import { eventually } from '../support/eventually.ts'
import { codesOf, factorService } from '../support/factor-service.ts'
import type { Answer } from '../support/http-client.ts'
import { onMemory } from '../support/one-store.ts'
import { succeed } from '../support/outcome.ts'
import {
  newDesk,
  ORIGIN,
  PASSKEY_SETTINGS,
  PASSKEY_SIGN_IN,
  passkeyDesk,
  permitPasskeys,
  RP_ID,
  SECOND_STEP,
  SIGN_IN,
  STEP_UP,
} from '../support/passkey-desk.ts'
import { CONTEXT } from '../support/request-context.ts'
import { softwareAuthenticator } from '../testkit/passkey-verifier/software-authenticator.ts'

const COMPLETE = `${PASSKEY_SIGN_IN}/complete`

onMemory('attacks on passkeys', (stores) => {
  const one = factorService(stores, PASSKEY_SETTINGS)

  const enrolled = async (how?: Parameters<typeof softwareAuthenticator>[0]) => {
    await permitPasskeys(one.running())
    const device = await softwareAuthenticator(how)
    const desk = passkeyDesk(one.running(), device)
    const { user, token } = await one.newUser()
    const { status, body } = await desk.enrol(token)
    expect(status).to.equal(201)
    return { desk, device, user, id: body.id as string, token: body.token as string }
  }
  const waitingFor = async (user: { email: string; password: string }) => {
    const desk = await newDesk(one.running())
    return (await desk.ask(SIGN_IN, { email: user.email, password: user.password })).body.second_factor
      .token as string
  }
  const verdict = ({ status, body }: Answer) => (status === 422 ? codesOf(body) : status)
  const REFUSED = { signIn: [[2, 'credential']], second: [[6, 'credential']], stepUp: [[5, 'credential']] }
  const reasons = (count: number) =>
    eventually(`${count} refusals`, async () => {
      const noted = (await eventsOf(one.store(), 'SecondFactorRefused')).map(
        ({ data }) => (data as { reason: string }).reason,
      )
      return noted.length >= count ? noted : undefined
    })

  it('an assertion, and a registration, works once; a challenge of another purpose, session or token, or plain JSON, never', async () => {
    const { desk, device, user, token } = await enrolled()
    const userHandle = userHandleOf(user.id)
    const waiting = await waitingFor(user)
    const other = await waitingFor(user)
    const session = (await desk.signIn(user.id)).body.token
    const answers = {
      signIn: await desk.answered(await desk.ask(PASSKEY_SIGN_IN), { userHandle }),
      second: await desk.answered(await desk.ask(`${SECOND_STEP}/passkey`, { token: waiting }), {
        userHandle,
      }),
      ofOther: await desk.answered(await desk.ask(`${SECOND_STEP}/passkey`, { token: other }), {
        userHandle,
      }),
      stepUp: await desk.answered(await desk.post(`${STEP_UP}/passkey`, session), { userHandle }),
      ofOtherSession: await desk.answered(await desk.post(`${STEP_UP}/passkey`, token), { userHandle }),
      plain: await device.get({ challenge: 'e30', rpId: RP_ID, origin: ORIGIN }, { userHandle }),
      noJson: 'credential',
    }
    const places = {
      signIn: (credential: string) => desk.ask(COMPLETE, { credential }),
      second: (credential: string) => desk.ask(SECOND_STEP, { token: waiting, credential }),
      stepUp: (credential: string) => desk.post(STEP_UP, session, { credential }),
    }
    for (const [place, send] of Object.entries(places))
      for (const [name, credential] of Object.entries(answers).filter(([name]) => name !== place))
        expect(verdict(await send(credential)), `${name} at ${place}`).to.deep.equal(
          REFUSED[place as keyof typeof places],
        )
    one.passSeconds(1)
    const again = await desk.answered(await desk.ask(PASSKEY_SIGN_IN), { userHandle })
    expect(verdict(await places.signIn(again))).to.equal(200)
    for (const [place, credential] of [
      ['signIn', again],
      ['second', answers.second],
      ['stepUp', answers.stepUp],
    ] as const)
      expect(verdict(await places[place](credential)), place).to.deep.equal(REFUSED[place])
    await one.expectAgreement()
  })

  it('a registration works once, in its session, and not after 300 seconds', async () => {
    await permitPasskeys(one.running())
    const { user, token } = await one.newUser()
    const desk = await newDesk(one.running())
    const elsewhere = await one.running().userToken(user)
    const credential = await desk.register(await desk.startEnrolment(token))
    expect(verdict(await desk.completeEnrolment(elsewhere, { credential }))).to.deep.equal([
      [2, 'credential'],
    ])
    one.passSeconds(301)
    expect(verdict(await desk.completeEnrolment(token, { credential }))).to.deep.equal([[2, 'credential']])
    const { status, body } = await desk.enrol(token)
    expect(status).to.equal(201)
    // From now on the passkey is one of the user's, so each credential of it is.
    expect(verdict(await desk.completeEnrolment(body.token, { credential }))).to.deep.equal([
      [3, 'credential'],
    ])
    const assertion = await desk.answered(await desk.ask(PASSKEY_SIGN_IN))
    expect(
      verdict(await desk.completeEnrolment(body.token, { credential: assertion, name: '\n' })),
    ).to.deep.equal([
      [3, 'credential'],
      [4, 'name'],
    ])
    const asObject = { credential: JSON.parse(assertion) }
    expect(verdict(await desk.completeEnrolment(body.token, asObject))).to.deep.equal([[1, 'credential']])
  })

  it('a passkey belongs to one user', async () => {
    const { device } = await enrolled()
    const { token } = await one.newUser()
    const desk = passkeyDesk(one.running(), device)
    expect(verdict(await desk.enrol(token))).to.deep.equal([[3, 'credential']])
  })

  it('an assertion of origin B does not sign in through application A; of a sibling, HTTP, a frame or another RP ID never', async () => {
    const { device, user } = await enrolled()
    const userHandle = userHandleOf(user.id)
    const origins = [
      'https://b.example.com',
      'https://blog.example.com',
      'http://shop.example.com',
      'https://evil.example',
    ]
    for (const origin of origins)
      expect(verdict(await passkeyDesk(one.running(), device, origin).signIn(user.id)), origin).to.deep.equal(
        REFUSED.signIn,
      )
    const { desk } = { desk: passkeyDesk(one.running(), device) }
    expect(verdict(await desk.signIn(user.id, { client: { crossOrigin: true } }))).to.deep.equal(
      REFUSED.signIn,
    )
    const { challenge } = (await desk.ask(PASSKEY_SIGN_IN)).body.options
    const credential = await device.get({ challenge, rpId: 'evil.example', origin: ORIGIN }, { userHandle })
    expect(verdict(await desk.ask(COMPLETE, { credential }))).to.deep.equal(REFUSED.signIn)
  })

  it('the challenge of one application does not sign in at another one', async () => {
    const { device, user } = await enrolled()
    const { service } = one.running()
    const made = await succeed(
      service.registerApplication(CONTEXT, {
        name: 'other',
        scope: 'users:sign_in',
        passkeyOrigins: [ORIGIN],
      }),
    )
    const { token } = await succeed(service.issueApplicationToken(CONTEXT, made))
    const desk = passkeyDesk(one.running(), device)
    const credential = await desk.answered(await desk.post(PASSKEY_SIGN_IN, token), {
      userHandle: userHandleOf(user.id),
    })
    expect(verdict(await desk.ask(COMPLETE, { credential }))).to.deep.equal(REFUSED.signIn)
    expect(verdict(await desk.post(COMPLETE, token, { credential }))).to.equal(200)
  })

  it('the user handle of another user, a missing one at passkey sign-in, another user’s credential in the second step', async () => {
    const { desk, user } = await enrolled()
    const eve = await enrolled()
    expect(verdict(await desk.signIn(eve.user.id))).to.deep.equal(REFUSED.signIn)
    const without = await desk.answered(await desk.ask(PASSKEY_SIGN_IN))
    expect(verdict(await desk.ask(COMPLETE, { credential: without }))).to.deep.equal(REFUSED.signIn)
    const waiting = await waitingFor(user)
    expect(verdict(await eve.desk.secondStep(waiting))).to.deep.equal(REFUSED.second)
    const handled = await desk.secondStep(waiting, { userHandle: userHandleOf(eve.user.id) })
    expect(verdict(handled)).to.deep.equal(REFUSED.second)
    expect(await reasons(4)).to.deep.equal([
      'user_mismatch',
      'user_mismatch',
      'unknown_credential',
      'user_mismatch',
    ])
    expect(verdict(await desk.secondStep(waiting))).to.equal(200)
  })

  it('a counter that went back is refused for single-device keys, and recorded for synced passkeys; the stored one never falls', async () => {
    const single = await enrolled({ counter: 5 })
    expect(verdict(await single.desk.signIn(single.user.id, { counter: 4 }))).to.deep.equal(REFUSED.signIn)
    expect(await reasons(1)).to.deep.equal(['counter_went_back'])
    const synced = await enrolled({ counter: 5, flags: ['up', 'uv', 'be', 'bs'] })
    expect(verdict(await synced.desk.signIn(synced.user.id, { counter: 3 }))).to.equal(200)
    const [used] = await eventsOf(one.store(), 'FactorUsed')
    expect(used?.data).to.deep.include({ counter: 5, counter_went_back: true })
    await one.expectAgreement()
  })

  it('a passkey that becomes a synced one goes on, and the log says so once', async () => {
    const { desk, user, token } = await enrolled({ counter: 5 })
    const backedUp = async () =>
      (await one.desk().list(token)).body.factors.map((one: { backed_up: boolean }) => one.backed_up)
    expect(await backedUp()).to.deep.equal([false])
    for (const counter of [0, 0]) {
      one.passSeconds(1)
      expect(verdict(await desk.signIn(user.id, { counter, flags: ['up', 'uv', 'be', 'bs'] }))).to.equal(200)
    }
    expect(await backedUp()).to.deep.equal([true])
    expect(
      (await eventsOf(one.store(), 'FactorUsed')).map(({ data }) => 'backup_eligible' in data),
    ).to.deep.equal([true, false])
    await one.expectAgreement()
  })

  it('the log tells a wrong origin, challenge and user verification apart, of a registration, too', async () => {
    const { desk, device, user, token } = await enrolled()
    const evil = passkeyDesk(one.running(), device, 'https://evil.example')
    const { token: fresh } = await one.newUser()
    await evil.enrol(fresh)
    await evil.signIn(user.id)
    await desk.signIn(user.id, { client: { crossOrigin: true } })
    await desk.signIn(user.id, { flags: ['up'] })
    const credential = await desk.answered(await desk.post(`${STEP_UP}/passkey`, token))
    await desk.ask(COMPLETE, { credential })
    await desk.completeEnrolment(fresh, { credential })
    await desk.post(STEP_UP, token, { credential })
    await desk.post(STEP_UP, token, { credential })
    await desk.completeEnrolment(fresh, { credential: 'no JSON' })
    expect(await reasons(8)).to.deep.equal([
      'wrong_origin',
      'wrong_origin',
      'wrong_origin',
      'user_not_verified',
      'wrong_challenge',
      'wrong_challenge',
      'used_challenge',
      'invalid_credential',
    ])
    expect(JSON.stringify(await eventsOf(one.store(), 'SecondFactorRefused'))).not.to.include('evil')
  })

  it('without user verification a passkey does not sign in alone', async () => {
    const { desk, user } = await enrolled()
    expect(verdict(await desk.signIn(user.id, { flags: ['up'] }))).to.deep.equal(REFUSED.signIn)
  })

  it('options are the same for all; an unknown credential, a wrong signature and a disabled user get the same bytes', async () => {
    const { desk, device, user } = await enrolled()
    const options = async () => {
      const { body } = await desk.ask(PASSKEY_SIGN_IN)
      return { ...body, options: { ...body.options, challenge: '' } }
    }
    expect(await options()).to.deep.equal(await options())
    const stranger = await newDesk(one.running())
    const forger = await softwareAuthenticator({ id: Uint8Array.from(Buffer.from(device.id, 'base64url')) })
    const refusals = [
      await stranger.signIn(user.id),
      await passkeyDesk(one.running(), forger).signIn(user.id),
      await desk.ask(COMPLETE, { credential: 'no JSON' }),
    ]
    await succeed(one.running().service.disableUser(CONTEXT, user.email))
    refusals.push(await desk.signIn(user.id))
    for (const { status, body } of refusals) expect([status, body]).to.deep.equal([422, refusals[0]?.body])
  })

  it('a passkey works while wrong codes pause the app, and ends the pause', async () => {
    const { desk, user, token } = await enrolled()
    const app = await one.desk().enrol(token)
    const waiting = await waitingFor(user)
    const guess = () => desk.ask(SECOND_STEP, { token: waiting, totp: '000000' })
    for (let wrong = 0; wrong < 5; wrong += 1) await guess()
    expect(verdict(await guess())).to.equal(429)
    expect(verdict(await desk.signIn(user.id))).to.equal(200)
    expect(verdict(await guess())).to.deep.equal([[4, 'totp']])
    expect(app.answer.status).to.equal(201)
  })

  it('no log line, event or answer contains a credential, a challenge or a public key', async () => {
    const { desk, device, user } = await enrolled()
    const options = await desk.ask(PASSKEY_SIGN_IN)
    const credential = await desk.answered(options, {
      userHandle: userHandleOf(user.id),
      client: { origin: 'https://evil.example' },
    })
    const refused = await desk.ask(COMPLETE, { credential })
    const log = JSON.stringify(await succeed(one.store().readEvents({ after: 0, limit: 1000 })))
    for (const place of [log, JSON.stringify(refused)])
      for (const secret of [
        device.id,
        options.body.options.challenge,
        JSON.parse(credential).response.signature,
      ])
        expect(place).not.to.include(secret)
  })
})
