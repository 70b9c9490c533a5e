import { expect } from 'chai'
import { compose, Dependency, provide } from '../../adapters/index.ts'
import { aesKeyWrapping } from '../../adapters/node/key-wrapping.ts'
import { base32 } from '../../domain/base32.ts'
import { capturedLog } from '../support/captured-log.ts'
import { eventually } from '../support/eventually.ts'
import { introspection } from '../support/introspection.ts'
import { onMemory } from '../support/one-store.ts'
import { OPERATOR } from '../support/operator.ts'
import { succeed } from '../support/outcome.ts'
import { CONTEXT } from '../support/request-context.ts'
import { scopedToken } from '../support/scoped-token.ts'
import { type FactorDesk, STEP_UP, startFactorDesk } from '../support/second-factor-service.ts'
import { enrolUser, SECRET } from '../support/second-factors.ts'
import { settings } from '../support/settings.ts'

onMemory('what proves a second factor', (stores) => {
  const { log, lines } = capturedLog()
  let desk: FactorDesk & { stop: () => Promise<void> }
  before(async () => {
    desk = await startFactorDesk(
      stores,
      {},
      provide(Dependency.log, () => log),
    )
  })
  after(() => desk.stop())

  it('no log line, event, metric or error contains a code, secret or token', async () => {
    const [recovery_code, another] = desk.ada.recoveryCodes
    const [pending, wrong, right] = [await desk.pending(), desk.wrongCode(), desk.code()]
    const answers = [
      await desk.complete(pending, { totp: wrong }),
      await desk.complete(pending, { totp: right, recovery_code }),
      await desk.complete(pending, { recovery_code: 'a-guessed-code' }),
      await desk.complete(pending, { credential: '{"id":"a-credential"}' }),
      await desk.complete('ost_unknown', { totp: right }),
    ]
    const session = await desk.userToken({ totp: right })
    answers.push(await desk.post(STEP_UP, session, { totp: right }))
    expect((await desk.post(STEP_UP, session, { recovery_code })).status).to.equal(200)
    answers.push(await desk.complete(pending, { recovery_code }))
    await desk.reasons(7)
    const events = await succeed(desk.store.readEvents({ after: 0, limit: 1_000 }))
    const { body: metrics } = await desk.running.send({ method: 'GET', path: '/metrics' })
    const long = [
      pending,
      'ost_unknown',
      recovery_code,
      another,
      'a-guessed-code',
      'a-credential',
      base32(SECRET),
    ]
    const said = {
      lines: lines.join('\n'),
      events: JSON.stringify(events.map(({ data }) => data)),
      metrics: String(metrics),
      errors: JSON.stringify(answers.map(({ body }) => body)),
    }
    expect(answers.map(({ status }) => status)).to.deep.equal(Array(7).fill(422))
    for (const [place, text] of Object.entries(said))
      for (const secret of [...long, `"${right}"`, `"${wrong}"`]) expect(text, place).not.to.include(secret)
  })

  it('is no token for introspection or revocation: a pending token is not active, and stays usable', async () => {
    const gate = await scopedToken(desk.running, 'tokens:introspect')
    const pending = await desk.pending()
    expect((await introspection(desk.running, gate, { token: pending })).body).to.deep.equal({
      active: false,
    })
    desk.passSeconds(60)
    expect((await desk.complete(pending, { totp: desk.code() })).status).to.equal(200)
  })
})

onMemory('a service that starts after a change of the key-encryption key', (stores) => {
  const [former, current] = [
    { id: '2026', secret: 'a'.repeat(32) },
    { id: '2027', secret: 'b'.repeat(32) },
  ] as const

  it('soon needs the former key for no secret of an authenticator app', async () => {
    const { environment, modules, store } = await stores.lasting()
    const keysOf = (...keys: ReadonlyArray<typeof former | typeof current>) => ({
      ...environment,
      KEY_ENCRYPTION_KEY: keys.map(({ id, secret }) => `${id}:${secret}`).join(' '),
    })
    const before = await compose(settings(keysOf(former)), ...modules)
    const user = { email: 'ada@example.com', password: 'correct horse' }
    const { id } = await succeed(before.registerUser(CONTEXT, user, OPERATOR))
    const materialOf = (kid: string) =>
      aesKeyWrapping([former]).wrap(base32(SECRET), { kid, purpose: 'totp' })
    const { app } = await enrolUser(store, id, { materialOf })
    await before.stop()
    const after = await compose(settings(keysOf(current, former)), ...modules)
    await after.listen('127.0.0.1', 0)
    try {
      await eventually('the secret is under the new key', async () => {
        const [{ material } = app] = (await succeed(store.listFactors(id))).filter(
          ({ kind }) => kind === 'totp',
        )
        const state = aesKeyWrapping([current]).assess(material, { kid: app.id, purpose: 'totp' })
        return state === 'current' ? state : undefined
      })
    } finally {
      await after.stop()
    }
  })
})
