import { expect } from 'chai'
import { type ApiClient, apiClient } from '../support/api-client.ts'
import type { Ended } from '../support/command.ts'
import { jsonLines } from '../support/json-lines.ts'
import { onSqlite } from '../support/one-store.ts'
import type { ServingHere } from '../support/workplace.ts'

onSqlite('portcullis user beside a running server', (stores) => {
  const { portcullis, serve, entries, remove } = stores.workplace()
  let server: ServingHere
  let api: ApiClient
  let token: string
  let ada: Readonly<{ id: string; email: string }>
  let bob: Readonly<{ id: string; email: string }>
  before(async () => {
    server = await serve()
    api = apiClient(server.url)
    const application = await portcullis('application create --name shop --json')
    token = (await api.issueToken(JSON.parse(application.out))).body.token
    ada = JSON.parse((await create('Ada@Example.com', 'first')).out)
    bob = JSON.parse((await create('bob@example.com', 'secret')).out)
  })
  after(async () => {
    await api.close()
    expect(await server.end()).to.equal(0)
    remove()
  })

  const create = (email: string, input: string): Promise<Ended> =>
    portcullis(`user create --email ${email} --password-stdin --json`, { input })
  const signIn = (email: string, password: string) => api.signIn(token, email, password)
  const session = async (email: string, password: string): Promise<string> =>
    (await signIn(email, password)).body.token
  const printed = (json: object): Ended => ({ status: 0, out: `${JSON.stringify(json)}\n`, err: '' })

  it('set-password lets only the new password in, and ends every session', async () => {
    const sessions = [await session('ada@example.com', 'first'), await session('ada@example.com', 'first')]
    const bobs = await session('bob@example.com', 'secret')
    const ended = await portcullis('user set-password ADA@example.com --password-stdin --json', {
      input: ' second \n\n',
    })
    expect(ended).to.deep.equal(printed({ id: ada.id, email: 'Ada@Example.com' }))
    for (const each of sessions) expect(await api.profileStatus(each)).to.equal(401)
    expect(await api.profileStatus(bobs), 'the session of another user').to.equal(200)
    expect((await signIn('ada@example.com', 'first')).status).to.equal(422)
    expect((await signIn('ada@example.com', ' second ')).status, 'only one line feed is removed').to.equal(
      422,
    )
    expect((await signIn('ada@example.com', ' second \n')).status).to.equal(200)
    const [noted, ...more] = await entries('PasswordSet')
    expect(more).to.deep.equal([])
    expect(noted).to.deep.include({ subject: { kind: 'user', id: ada.id }, actor: { kind: 'operator' } })
    expect(noted?.data).to.have.all.keys('password_version', 'password_digest')
    expect(noted?.data.password_version).to.equal(2)
  })

  const INPUTS: ReadonlyArray<readonly [what: string, input: string, password: string]> = [
    ['a line feed', 'sesame\n', 'sesame'],
    ['CR LF', 'sesame\r\n', 'sesame'],
    ['a byte order mark and CR LF', '\ufeffsesame\r\n', 'sesame'],
    ['two line ends', 'sesame\r\n\r\n', 'sesame\r\n'],
    ['a carriage return', 'sesame\r', 'sesame\r'],
    ['a second byte order mark', '\ufeff\ufeffsesame', '\ufeffsesame'],
  ]
  for (const [index, [what, input, password]] of INPUTS.entries()) {
    it(`takes a password with ${what} from standard input`, async () => {
      const email = `input${index}@example.com`
      expect(await create(email, input)).to.include({ status: 0 })
      expect((await signIn(email, password)).status).to.equal(200)
      await portcullis(`user set-password ${email} --password-stdin`, { input })
      expect((await signIn(email, password)).status).to.equal(200)
    })
  }

  it('disable ends every session and blocks sign-in. enable allows sign-in again and restores no session', async () => {
    const before = await session('bob@example.com', 'secret')
    expect(await portcullis('user disable BOB@example.com --json')).to.deep.equal(printed(bob))
    expect(await api.profileStatus(before)).to.equal(401)
    const refused = await signIn('bob@example.com', 'secret')
    const wrong = await signIn('bob@example.com', 'wrong')
    expect(refused.status).to.equal(422)
    expect(refused.body, 'hides the reason').to.deep.equal(wrong.body)

    const [again, listed, taken] = await Promise.all([
      portcullis('user disable bob@example.com'),
      portcullis('user list --json'),
      create('bob@example.com', 'x'),
    ])
    expect(again).to.deep.equal({
      status: 0,
      out: `id     ${bob.id}\nemail  bob@example.com\n`,
      err: 'Disabled: sign-in is blocked, and all sessions have ended.\n',
    })
    expect(jsonLines(listed.out).find(({ id }) => id === bob.id)).to.have.property('status', 'disabled')
    expect(taken.err).to.equal('This e-mail is already registered.\n')

    expect(await portcullis('user enable bob@example.com --json')).to.deep.equal(printed(bob))
    expect(await api.profileStatus(before)).to.equal(401)
    const after = await session('bob@example.com', 'secret')
    expect(await api.profileStatus(after)).to.equal(200)
    const noted = [await entries('UserDisabled'), await entries('UserEnabled')]
    const operatorOnBob = { subject: { kind: 'user', id: bob.id }, actor: { kind: 'operator' }, data: {} }
    expect(noted).to.deep.equal([[operatorOnBob], [operatorOnBob]])
  })
})
