import { expect } from 'chai'
import { right } from 'fp-ts/lib/Either.js'
import { Dependency, provide } from '../../adapters/index.ts'
import { userHandleOf } from '../../domain/passkey.ts'
import { capturedLog } from '../support/captured-log.ts'
import { verifiedUser } from '../support/factor-desk.ts'
import { onMemory } from '../support/one-store.ts'
import { newDesk, ORIGIN, PASSKEY_SETTINGS, passkeyDesk, permitPasskeys } from '../support/passkey-desk.ts'
import { type RunningService, startService } from '../support/running-service.ts'
import { softwareAuthenticator } from '../testkit/passkey-verifier/software-authenticator.ts'

const MESSAGE = 'a passkey was used at an origin that is not permitted'
const OTHER = 'https://other.example.com'

onMemory('passkeys at a wrong origin, in the log of the service', (stores) => {
  const { log, lines } = capturedLog()
  let now = Date.parse('2026-11-20T12:00:10Z')
  let running: RunningService
  before(async () => {
    const { environment, modules } = await stores.lasting()
    running = await startService(
      { ...environment, ...PASSKEY_SETTINGS },
      ...modules,
      provide(Dependency.clock, () => () => now),
      provide(Dependency.steadyClock, () => async () => right(now)),
      provide(Dependency.log, () => log),
    )
    await permitPasskeys(running, ORIGIN, OTHER)
  })
  after(() => running.stop())

  const reported = () =>
    lines.map((line): Record<string, unknown> => JSON.parse(line)).filter(({ msg }) => msg === MESSAGE)

  it('are told with the received and the permitted origins, ten times a minute, and without control characters', async () => {
    const device = await softwareAuthenticator()
    const user = await verifiedUser(running)
    const token = await running.userToken(user)
    const evil = `https://evil.example/\u202e\n${'x'.repeat(300)}`
    const received = `https://evil.example/\\u{202e}\\u{a}${'x'.repeat(233)}`
    const wrong = { level: 40, permitted: [ORIGIN, OTHER], msg: MESSAGE }
    const withoutTime = () => reported().map(({ time: _, ...line }) => line)

    await passkeyDesk(running, device, evil).enrol(token)
    expect(withoutTime()).to.deep.equal([{ ...wrong, received, framed: false }])

    expect((await passkeyDesk(running, device).enrol(token)).status).to.equal(201)
    const framed = await passkeyDesk(running, device).signIn(user.id, { client: { crossOrigin: true } })
    expect(framed.status).to.equal(422)
    expect(withoutTime()[1]).to.deep.equal({ ...wrong, received: ORIGIN, framed: true })

    for (let times = 0; times < 10; times += 1) await passkeyDesk(running, device, evil).signIn(user.id)
    expect(reported()).to.have.lengthOf(10)
    now += 60_000
    await passkeyDesk(running, device, evil).signIn(user.id)
    expect(reported()).to.have.lengthOf(11)
  })

  it('are not told for challenges that the service did not make', async () => {
    const before = reported().length
    const device = await softwareAuthenticator()
    const desk = await newDesk(running)
    const forged = await device.get(
      { challenge: 'e30', rpId: 'example.com', origin: 'https://evil.example' },
      { userHandle: userHandleOf((await verifiedUser(running)).id) },
    )
    expect((await desk.ask('/api/v1/auth/user/passkey/complete', { credential: forged })).status).to.equal(
      422,
    )
    expect(reported()).to.have.lengthOf(before)
  })
})
