import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'
import { ROOT } from '../architecture/root.ts'
import { eventually } from '../support/eventually.ts'
import { FACTOR_SETTINGS, factorDesk, totpAt, verifiedUser } from '../support/factor-desk.ts'
import { succeed } from '../support/outcome.ts'
import { CONTEXT } from '../support/request-context.ts'
import { type RunningService, startService } from '../support/running-service.ts'
import { START, timed } from '../support/second-factor-service.ts'
import { type Answered, visitorOf } from './forms.ts'
import { TEXTS } from './front-ends/texts.ts'
import { type Received, startMailbox } from './mail/mailbox.ts'
import { type Program, startProgram } from './program.ts'

const BOB = { email: 'bob@example.com', password: 'nine purple otters sing' }
const NEW = 'quarrel lantern meadow'
const RECOVERED = 'forgotten no more'

describe('a whole product on the client', () => {
  let running: RunningService
  let mailbox: Awaited<ReturnType<typeof startMailbox>>
  let received: Array<Received>
  let product: Program
  let time: { now: number }
  let visitor: ReturnType<typeof visitorOf>
  before(async () => {
    time = { now: START }
    running = await startService(FACTOR_SETTINGS, ...timed(time))
    received = []
    mailbox = await startMailbox(0, (mail) => received.push(mail))
    const scope = 'users:sign_in users:register users:recover users:read'
    const made = await succeed(running.service.registerApplication(CONTEXT, { name: 'product', scope }))
    product = await startProgram('product/product', {
      PORTCULLIS_URL: `http://127.0.0.1:${running.port}`,
      PUBLIC_API_KEY: made.publicApiKey,
      PRIVATE_API_KEY: made.privateApiKey,
      SMTP_URL: `smtp://127.0.0.1:${mailbox.port}`,
      ADMIN_ID: running.user.id,
    })
    visitor = visitorOf(product.url)
  })
  after(async () => {
    expect(await product.stop()).to.equal(0)
    await mailbox.stop()
    await running.stop()
  })

  const home = async (): Promise<string> => (await visitor.get('/')).page
  const signIn = (email: string, password: string): Promise<Answered> =>
    visitor.post('/sign_in', { email, password })

  it('signs a person up', async () => {
    expect((await visitor.get('/sign_up')).page).to.include('Registrieren')
    const empty = await visitor.post('/sign_up', {})
    expect(empty.texts).to.deep.equal({ email: TEXTS.missing, password: TEXTS.missing })
    const taken = await visitor.post('/sign_up', { ...BOB, email: running.user.email })
    expect(taken.texts).to.deep.equal({ email: TEXTS.taken })
    expect(await visitor.post('/sign_up', BOB)).to.include({ status: 303, location: '/sign_in' })
  })

  it('signs a user in, and says who is signed in', async () => {
    expect(await visitor.get('/')).to.include({ status: 303, location: '/sign_in' })
    expect((await signIn(BOB.email, 'wrong')).texts).to.deep.equal({ password: TEXTS.wrong_password })
    expect(await signIn(BOB.email, BOB.password)).to.include({ status: 303, location: '/' })
    expect(await home()).to.include(BOB.email)
  })

  it('changes the password, with each problem at its field', async () => {
    const wrong = { oldPassword: 'wrong', newPassword: '', newPasswordCheck: 'other' }
    expect((await visitor.post('/password', wrong)).texts).to.deep.equal({
      oldPassword: TEXTS.wrong_password,
      newPassword: TEXTS.missing,
      newPasswordCheck: TEXTS.different,
    })
    const right = { oldPassword: BOB.password, newPassword: NEW, newPasswordCheck: NEW }
    expect(await visitor.post('/password', right)).to.include({ status: 303, location: '/' })
  })

  it('lists the sessions, and ends another one', async () => {
    const elsewhere = await running.userToken({ ...BOB, password: NEW })
    const { page } = await visitor.get('/sessions')
    expect(page.match(/<li>/g)).to.have.lengthOf(2)
    const [, sessionId = ''] = /name="sessionId" value="([^"]+)"/.exec(page) ?? []
    expect(await visitor.post('/sessions', { sessionId })).to.include({ status: 303 })
    const ended = await running.send({ method: 'GET', path: '/api/v1/profile', token: elsewhere })
    expect(ended.status).to.equal(401)
    expect((await visitor.get('/sessions')).page.match(/<li>/g)).to.have.lengthOf(1)
  })

  it('signs a user out', async () => {
    const signedOut = await visitor.post('/sign_out', {})
    expect(signedOut).to.include({ status: 303, location: '/sign_in', age: 0 })
    expect(await visitor.get('/')).to.include({ status: 303 })
  })

  it('recovers an account with a link in a mail, and says the same without an account', async () => {
    const known = await visitor.post('/forgotten', { email: BOB.email })
    const unknown = await visitor.post('/forgotten', { email: 'eve@example.com' })
    expect(known).to.deep.equal(unknown)
    const { to, text } = await eventually('a mail', async () => received.shift())
    expect(to).to.deep.equal([BOB.email])
    const [, path = '', token = ''] = /(\/recovery\?token=(\S+))/.exec(text) ?? []
    expect((await visitor.get(path)).page).to.include(`value="${token}"`)
    const other = await visitor.post('/recovery', { token, newPassword: RECOVERED, newPasswordCheck: '' })
    expect(other.texts).to.deep.equal({ newPasswordCheck: TEXTS.missing })
    const right = { token, newPassword: RECOVERED, newPasswordCheck: RECOVERED }
    expect(await visitor.post('/recovery', right)).to.include({ status: 303, location: '/sign_in' })
    expect((await visitor.post('/recovery', right)).texts).to.deep.equal({ alert: TEXTS.ended })
    expect(received).to.deep.equal([])
  })

  it('removes an account', async () => {
    await signIn(BOB.email, RECOVERED)
    expect((await visitor.post('/remove', { password: 'wrong' })).texts).to.deep.equal({
      password: TEXTS.wrong_password,
    })
    expect(await visitor.post('/remove', { password: RECOVERED })).to.include({ location: '/sign_up' })
    expect((await signIn(BOB.email, RECOVERED)).texts).to.deep.equal({ password: TEXTS.wrong_password })
  })

  it('asks for the second factor of a user who has one', async () => {
    const user = await verifiedUser(running)
    const { secret } = await factorDesk(running, () => time.now).enrol(await running.userToken(user))
    const asked = await signIn(user.email, user.password)
    expect(asked).to.include({ status: 200, cookies: 1, age: 300 })
    const refused = await visitor.post('/second_factor', { totp: '', recoveryCode: 'aaaa-bbbb' })
    expect(refused.texts).to.deep.equal({ recoveryCode: TEXTS.wrong_code })
    const totp = totpAt(secret, time.now, 1)
    expect(await visitor.post('/second_factor', { totp, recoveryCode: '' })).to.include({
      status: 303,
      location: '/',
      cookies: 2,
    })
    expect(await home()).to.include(user.email)
    const again = await visitor.post('/second_factor', { totp })
    expect(again, 'no sign-in waits').to.include({ location: '/sign_in', cookies: 0 })
  })

  it('lists the users for its administrator only', async () => {
    expect(await visitor.get('/admin')).to.include({ status: 404 })
    await signIn(running.user.email, running.user.password)
    const { page } = await visitor.get('/admin')
    expect(page).to.include(`${running.user.email}: enabled`).and.to.include('verified-')
  })

  it('refuses a form of another site', async () => {
    const refused = await visitor.post('/sign_out', {}, { 'sec-fetch-site': 'cross-site' })
    expect(refused).to.include({ status: 403 })
    expect(await home()).to.include(running.user.email)
  })

  it('needs as many lines of glue as docs/front-end.md says', () => {
    const linesOf = (path: string): ReadonlyArray<string> =>
      readFileSync(join(ROOT, path), 'utf8')
        .split('\n')
        .filter((line) => !/^\s*(\/\*\*.*)?$/.test(line))
    const inRoutes = linesOf('tests/examples/product/product.ts').filter((line) =>
      /auth\.cookies|secondFactor$|token === undefined/.test(line),
    )
    const files = ['product/glue.ts', 'front-ends/auth.ts'].flatMap((name) =>
      linesOf(`tests/examples/${name}`),
    )
    const [, said] = /it needs (\d+) lines of glue/.exec(linesOf('docs/front-end.md').join('\n')) ?? []
    expect([inRoutes.length, inRoutes.length + files.length]).to.deep.equal([8, Number(said)])
  })
})
