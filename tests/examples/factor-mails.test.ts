import { expect } from 'chai'
import { right } from 'fp-ts/lib/Either.js'
import { portcullis } from '../../adapters/client/client.ts'
import { Dependency, provide } from '../../adapters/index.ts'
import { eventually } from '../support/eventually.ts'
import { FACTOR_SETTINGS, factorDesk, verifiedUser } from '../support/factor-desk.ts'
import { succeed } from '../support/outcome.ts'
import { plainHasher } from '../support/plain-hasher.ts'
import { CONTEXT } from '../support/request-context.ts'
import { type RunningService, startService } from '../support/running-service.ts'
import { SECOND_STEP, SIGN_IN } from '../support/second-factor-service.ts'
import { type FactorMailSettings, type State, sendFactorMails } from './mail/factor-mails.ts'
import { accountMail } from './mail/mail.ts'
import { type Received, startMailbox } from './mail/mailbox.ts'

const ADDED = 'A second factor was added to your account'
const NEW_CODES = 'Your account has new recovery codes'

describe('the example that mails what happens with second factors', () => {
  let running: RunningService
  let mailbox: Awaited<ReturnType<typeof startMailbox>>
  let mail: ReturnType<typeof accountMail>
  let settings: FactorMailSettings
  let received: Array<Received>
  let saved: State | undefined
  let isStopping: boolean
  let ended: Promise<string>
  let now: number
  let ada: Awaited<ReturnType<typeof verifiedUser>>

  beforeEach(async () => {
    now = Date.now() - 3_600_000
    running = await startService(
      FACTOR_SETTINGS,
      provide(Dependency.passwordHasher, () => plainHasher()),
      provide(Dependency.clock, () => () => now),
      provide(Dependency.steadyClock, () => async () => right(now)),
    )
    ada = await verifiedUser(running)
    received = []
    saved = undefined
    isStopping = false
    mailbox = await startMailbox(0, (one) => received.push(one))
    const made = await succeed(
      running.service.registerApplication(CONTEXT, { name: 'mailer', scope: 'events:read' }),
    )
    const portcullisUrl = `http://127.0.0.1:${running.port}`
    const keys = { publicApiKey: made.publicApiKey, privateApiKey: made.privateApiKey }
    mail = accountMail({
      portcullisUrl,
      keys: { publicApiKey: made.publicApiKey, privateApiKey: made.privateApiKey },
      smtpUrl: `smtp://127.0.0.1:${mailbox.port}`,
      from: 'Shop <no-reply@shop.test>',
      contact: 'help@shop.test',
      site: 'https://shop.test',
      report: () => {},
    })
    settings = {
      auth: portcullis({ url: portcullisUrl, ...keys }),
      state: undefined,
      save: async (state) => {
        if (isStopping) throw new Error('stopped')
        saved = state
      },
      addressesOf: async (id) => (id === ada.id ? [ada.email, `second-${ada.email}`] : []),
      tell: mail.factorsChanged,
      report: () => {},
    }
  })
  afterEach(async () => {
    isStopping = true
    await running.stop() // it answers a waiting request with an empty page
    await ended
    await mail.close()
    await mailbox.stop()
  })

  const start = (more: Partial<FactorMailSettings> = {}): void => {
    ended = sendFactorMails({ ...settings, ...more }).then(
      () => '',
      ({ message }) => message,
    )
  }
  /** The subjects of the mails to each address, once the example has read the whole log. */
  const subjects = async (): Promise<ReadonlyArray<string | undefined>> => {
    const epoch = await succeed(running.service.store.readEpoch())
    await eventually('the end of the log', async () => {
      const { length } = await succeed(running.service.store.readEvents({ after: 0, limit: 1_000 }))
      return saved?.cursor === `${epoch}:${length}` ? saved : undefined
    })
    const of = (address: string) =>
      received.filter(({ to }) => to.includes(address)).map(({ headers }) => headers.subject)
    expect(of(ada.email)).to.deep.equal(of(`second-${ada.email}`))
    return of(ada.email)
  }
  const post = async (path: string, body: object) => {
    const token = await running.applicationToken()
    return (await running.send({ method: 'POST', path, token, body })).body
  }
  const begin = async (): Promise<string> => {
    const { email, password } = ada
    return (await post(SIGN_IN, { email, password })).second_factor.token
  }
  const desk = () => factorDesk(running, () => now)
  const enrol = async () => {
    const { secret, answer } = await desk().enrol(await running.userToken(ada))
    return { secret, ...answer.body }
  }

  it('tells every address of each change, of a used recovery code and of a reset', async () => {
    start()
    const { id, token, recovery_codes } = await enrol()
    expect(await subjects()).to.deep.equal([ADDED, NEW_CODES])
    await desk().renewCodes(token)
    expect((await subjects()).slice(2)).to.deep.equal([NEW_CODES])
    expect(
      (await post(SECOND_STEP, { token: await begin(), recovery_code: recovery_codes[0] })).code,
    ).to.equal(422)
    const [recovery_code] = (await desk().renewCodes(token)).body.recovery_codes
    await post(SECOND_STEP, { token: await begin(), recovery_code })
    expect((await subjects()).slice(3)).to.deep.equal([NEW_CODES, 'A recovery code was used, 9 are left'])
    await desk().remove(token, { factor_id: id })
    await succeed(running.service.resetUserFactors(CONTEXT, ada.id))
    expect((await subjects()).slice(5)).to.deep.equal([
      'A second factor was removed from your account',
      'All second factors were removed from your account',
    ])
    expect(received[0]?.text).to.include(`at ${new Date(Math.floor(now / 1000) * 1000).toUTCString()}`)
    expect(received[0]?.text).to.include('help@shop.test').and.to.include('set another password')
  })

  it('sends a mail that failed again, after a restart with the saved state', async () => {
    start({ tell: async () => Promise.reject(new Error('no relay')) })
    await enrol()
    expect(await ended).to.equal('no relay')
    start({ state: saved })
    expect(await subjects()).to.deep.equal([ADDED, NEW_CODES])
  })
})
