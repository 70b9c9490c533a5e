import { expect } from 'chai'
import { type AccountDesk, openDesk } from '../support/account-desk.ts'
import { onMemory } from '../support/one-store.ts'
import { scopedToken } from '../support/scoped-token.ts'

const KEPT = 'ada@xn--bcher-kva.example'
const FORMS = ['ada@bücher.example', ' ada@BÜCHER.example\n', KEPT, `\u00a0${KEPT}`]
const PASSWORD = 'correct horse'

onMemory('e-mails of domains with other letters', (stores) => {
  let desk: AccountDesk
  beforeEach(async () => {
    desk = await openDesk({ ...(await stores.fresh()), ACCOUNT_PAGES: 'on' })
  })
  afterEach(() => desk.stop())

  const signIn = async (email: string) =>
    desk.send({
      method: 'POST',
      path: '/api/v1/auth/user/token',
      token: await desk.applicationToken(),
      body: { email, password: PASSWORD },
    })

  it('are kept in ASCII, are one account, and are found in every form', async () => {
    const made = await desk.register(FORMS[0] ?? '', PASSWORD)
    expect([made.status, made.body.email]).to.deep.equal([201, KEPT])
    const admin = await scopedToken(desk, 'users:read')
    for (const email of FORMS) {
      const again = await desk.register(email, PASSWORD)
      expect(again.body.errors, email).to.deep.equal([
        { code: 4, message: 'email is already registered.', param: 'email' },
      ])
      expect((await signIn(email)).body.user_id, email).to.equal(made.body.id)
      expect((await desk.startRecovery({ email })).body.email, email).to.equal(KEPT)
      const { body } = await desk.send({
        method: 'POST',
        path: '/api/v1/users/search',
        token: admin,
        body: { email },
      })
      expect(
        body.users.map((one: { email: string }) => one.email),
        email,
      ).to.deep.equal([KEPT])
    }
    for (const [email_prefix, found] of [
      ['ada@bücher', 0],
      ['ADA@xn--bcher', 1],
    ] as const) {
      const sent = { method: 'POST', path: '/api/v1/users/search', token: admin, body: { email_prefix } }
      expect((await desk.send(sent)).body.users, email_prefix).to.have.lengthOf(found)
    }
    const { body } = await signIn(KEPT)
    expect((await desk.profile(body.token)).body.email).to.equal(KEPT)
  })

  it('that are unknown or malformed get the same bytes as others', async () => {
    const unknown = await signIn('eve@example.com')
    for (const email of ['eve@bücher.example', 'eve@℀.example', ' eve@example.com', 'ä'])
      expect((await signIn(email)).body, email).to.deep.equal(unknown.body)
    const nothing = (await desk.startRecovery({ email: 'eve@example.com' })).body
    for (const email of ['eve@bücher.example', 'eve@℀.example'])
      expect((await desk.startRecovery({ email })).body, email).to.deep.equal(nothing)
  })
})
