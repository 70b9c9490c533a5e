import { expect } from 'chai'
import { FORM_TYPE } from '../support/introspection.ts'
import { mailLinkSettings } from '../support/mail-links.ts'
import { onMemory } from '../support/one-store.ts'
import { operationsOf, resolved } from '../support/open-api.ts'
import { PASSKEY_SETTINGS, permitPasskeys } from '../support/passkey-desk.ts'
import { PAGE_ROUTES } from '../support/routes.ts'
import { scopedToken } from '../support/scoped-token.ts'
import {
  type FactorDesk,
  PASSED,
  refused,
  SECOND_STEP,
  startFactorDesk,
  verdict,
} from '../support/second-factor-service.ts'
import { userOf } from '../support/second-factors.ts'

/** The routes that take a password of the user, or set one. A new one needs a decision: may it be enough alone? */
const PASSWORD_ROUTES = [
  'POST /api/v1/auth/user/token', // code 4
  'POST /api/v1/users', // the e-mail is taken
  'POST /api/v1/users/recovery/complete', // requires the mailed token, and keeps the factors
  'POST /api/v1/users/email_confirmation', // code 8
  'POST /api/v1/profile/email', // requires a session, and a fresh one while a factor is due
  'GET /api/v1/profile/change_password', // requires a session, which needed the factor
  'POST /api/v1/profile/change_password',
  'POST /api/v1/profile/step_up', // code 6
  'POST /api/v1/profile/remove', // requires a session
]

/** What a browser sends with a form of the pages. */
const FROM_A_PAGE = { 'content-type': FORM_TYPE, 'sec-fetch-site': 'same-origin' }

onMemory('a password without the second factor', (stores) => {
  let desk: FactorDesk & { stop: () => Promise<void> }
  before(async () => {
    desk = await startFactorDesk(stores, { ...mailLinkSettings(), ...PASSKEY_SETTINGS })
    await permitPasskeys(desk.running)
  })
  after(() => desk.stop())

  const operations = () => operationsOf(resolved(desk.running.service.openApi()))
  /** A value for each field of a body: as much as a thief of the password knows. */
  const knownTo = (names: ReadonlyArray<string>): Record<string, string> => {
    const { id, email, password } = desk.running.user
    const known: Record<string, string> = {
      email,
      user_id: id,
      password,
      step: 'recovery_codes', // of a page
      old_password: password,
      new_password: 'stolen',
      new_password_check: 'stolen',
    }
    return Object.fromEntries(
      names.flatMap((name) => (known[name] === undefined ? [] : [[name, known[name]]])),
    )
  }
  const namesIn = (content: object | undefined): ReadonlyArray<string> =>
    Object.keys(Object.values(content ?? {})[0]?.schema.properties ?? {})
  const expectUntouched = async (before: Awaited<ReturnType<typeof userOf>>, what: string) => {
    const { passwordRecord, passwordVersion, email } = await userOf(desk.store, desk.running.user.id)
    expect({ passwordRecord, passwordVersion, email }, what).to.deep.equal({
      passwordRecord: before.passwordRecord,
      passwordVersion: before.passwordVersion,
      email: before.email,
    })
    expect(await desk.data('UserSignedIn'), what).to.deep.equal([])
  }

  it('no route or page opens a session or changes a password with a password alone while a factor is due (walks the route table)', async () => {
    const before = await userOf(desk.store, desk.running.user.id)
    const scopes = ['users:sign_in', 'users:register', 'users:confirm_email']
    const token = await scopedToken(desk.running, scopes.join(' '))
    const withPassword: Array<string> = []
    for (const { method, path, operation } of operations()) {
      const fields = namesIn(operation.requestBody?.content)
      if (fields.some((name) => name.includes('password'))) withPassword.push(`${method} ${path}`)
      for (const as of [undefined, token, (await desk.signIn()).body.second_factor.token]) {
        const sent = { method, path: path.replace('{path}', '0/000'), body: knownTo(fields) }
        const { body } = await desk.running.send(as === undefined ? sent : { ...sent, token: as })
        const found = typeof body?.token === 'string' ? body.token : ''
        expect(found, `${method} ${path}`).not.to.match(/^(v4\.public|eyJ)/)
        await expectUntouched(before, `${method} ${path}`)
      }
    }
    expect(withPassword).to.have.members(PASSWORD_ROUTES)
    const { email, password } = desk.running.user
    const first = await desk.running.send({
      method: 'POST',
      path: '/account/sign-in',
      body: new URLSearchParams({ email, password }).toString(),
      headers: FROM_A_PAGE,
    })
    const [cookie = ''] = String(first.headers['set-cookie']).split(';')
    for (const route of PAGE_ROUTES) {
      const [method = '', path = ''] = route.split(' ')
      const names = ['email', 'password', 'step', 'old_password', 'new_password', 'new_password_check']
      const form = new URLSearchParams(knownTo(names)).toString()
      await desk.running.send({
        method,
        path,
        headers: { cookie, ...(method === 'POST' && FROM_A_PAGE) },
        ...(method === 'POST' && { body: form }),
      })
      await expectUntouched(before, route)
    }
  })

  it('is asked for a code on the page to sign in, and has no session until then', async () => {
    const before = await userOf(desk.store, desk.running.user.id)
    const { email, password } = desk.running.user
    const post = (sent: string) =>
      desk.running.send({
        method: 'POST',
        path: '/account/sign-in',
        body: new URLSearchParams({ email, password: sent }).toString(),
        headers: FROM_A_PAGE,
      })
    const { status, headers, body } = await post(password)
    expect([status, headers.location, body]).to.deep.equal([303, '/account/second-factor', undefined])
    expect(String(headers['set-cookie'])).to.match(/^__Host-portcullis-2nd=[\w-]+;/)
    await expectUntouched(before, 'the first step')
    const [cookie = ''] = String(headers['set-cookie']).split(';')
    const asSession = cookie.replace('-2nd=', '=')
    for (const sent of [cookie, asSession]) {
      const home = await desk.running.send({ method: 'GET', path: '/account', headers: { cookie: sent } })
      expect(home.headers.location).to.equal('/account/sign-in')
    }
    expect((await post('wrong')).body).to.include('data-code="3"')
  })

  it('gets code 8 at the start of an e-mail confirmation, until a fresh user token comes with it', async () => {
    const token = await scopedToken(desk.running, 'users:confirm_email')
    const { id, password } = desk.running.user
    const start = (more: object) => {
      const body = { user_id: id, email: 'moved@example.com', password, ...more }
      return desk.post('/api/v1/users/email_confirmation', token, body)
    }
    const without = await start({})
    expect(verdict(without)).to.deep.equal(refused(8))
    expect(without.body.errors[0].param).to.equal('user_token')
    const fresh = await desk.userToken({ recovery_code: desk.ada.recoveryCodes[0] })
    expect(verdict(await start({ user_token: fresh }))).to.deep.equal(PASSED)
  })

  it('a pending token is no Bearer token on any route; a user token is no pending token', async () => {
    const pending = await desk.pending()
    for (const { method, path, operation } of operations()) {
      const isProtected = (operation.security ?? []).some(
        (one) => 'userToken' in one || 'applicationToken' in one,
      )
      if (!isProtected) continue
      const sent = { method, path: path.replace('{path}', '0/000'), token: pending }
      const { status } = await desk.running.send(method === 'GET' ? sent : { ...sent, body: {} })
      expect(status, `${method} ${path}`).to.equal(401)
    }
    const user = await desk.userToken()
    for (const token of [
      user,
      desk.running.keys.private_api_key,
      await scopedToken(desk.running, 'users:sign_in'),
    ])
      expect(verdict(await desk.ask(SECOND_STEP, { token, totp: desk.code(30) }))).to.deep.equal(refused(3))
  })

  it('a token of another purpose is no pending token, and a pending token has no other purpose', async () => {
    const desks = await scopedToken(desk.running, 'users:recover users:confirm_email')
    const { body: recovery } = await desk.post('/api/v1/users/recovery', desks, {
      email: desk.running.user.email,
    })
    expect(verdict(await desk.complete(recovery.token, { totp: desk.code(30) }))).to.deep.equal(refused(3))
    const token = await desk.pending()
    const passwords = { new_password: 'stolen', new_password_check: 'stolen' }
    const completed = await desk.post('/api/v1/users/recovery/complete', '', { token, ...passwords })
    expect(verdict(completed)).to.deep.equal(refused(4))
    const confirmed = await desk.post('/api/v1/users/email_confirmation/complete', '', { token })
    expect(confirmed.status).to.equal(422)
  })

  it('gets the same refusal for a wrong password with and without factors', async () => {
    const withFactors = await desk.signIn('wrong')
    await desk.resetFactors()
    const without = await desk.signIn('wrong')
    expect(withFactors.body).to.deep.equal(without.body)
    expect(verdict(without)).to.deep.equal(refused(3))
  })
})
