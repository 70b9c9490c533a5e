import { expect } from 'chai'
import { eventually } from '../support/eventually.ts'
import { mailLinkSettings, ON_ITS_WAY } from '../support/mail-links.ts'
import { answering, startRelay, startScriptedRelay, type TakenMail } from '../support/mail-relay.ts'
import { onSqlite } from '../support/one-store.ts'
import { type RunningService, startService } from '../support/running-service.ts'

const NEW = 'ada@example.org'
const NEXT = 'battery staple'

/** What a proxy may pass on from a stranger. */
const EVIL = {
  host: 'evil.example',
  origin: 'https://evil.example',
  forwarded: 'host=evil.example;proto=https',
  'x-forwarded-host': 'evil.example',
}

/** The requests of an application, and of the user. */
const asking = async ({ send, applicationToken, userToken }: RunningService) => {
  const application = await applicationToken()
  const post = (path: string, body: object, token?: string) =>
    send({ method: 'POST', path: `/api/v1/${path}`, body, ...(token === undefined ? {} : { token }) })
  return {
    recovery: (email: string) => post('users/recovery/mail', { email, language: 'de' }, application),
    email: async (body: object) => post('profile/email', body, await userToken()),
    register: (body: object) => post('users', body, application),
    recover: (token: string) =>
      post('users/recovery/complete', { token, new_password: NEXT, new_password_check: NEXT }),
    confirm: (token: string) => post('users/email_confirmation/complete', { token }),
    signIn: (email: string, password: string) => post('auth/user/token', { email, password }, application),
  }
}

/** What the link in a mail has as its token. The link must lead to this page. */
const tokenIn = ({ text }: TakenMail, page: string): string =>
  new RegExp(`https://service\\.test/account/${page}\\?token=(\\w+)`).exec(text)?.[1] ?? ''

onSqlite('a request of a mail', (stores) => {
  it('brings a link whose token recovers, confirms and changes the e-mail, and is in no answer before', async () => {
    const relay = await startRelay()
    const running = await startService({ ...(await stores.fresh()), ...mailLinkSettings(relay.port) })
    const isTo = ({ to }: TakenMail, address: string) => to[0]?.toLowerCase() === address.toLowerCase()
    const mailTo = (address: string, page: string) =>
      eventually(`a mail to ${address}`, async () =>
        relay.taken.find((mail) => isTo(mail, address) && tokenIn(mail, page) !== ''),
      )
    try {
      const ask = await asking(running)
      const { email, password } = running.user
      const { body } = await ask.recovery('ADA@example.com')
      expect(body).to.deep.equal(ON_ITS_WAY)
      const recovery = await mailTo(email, 'recovery')
      expect(recovery.headers['content-language']).to.equal('de')
      expect((await ask.recover(tokenIn(recovery, 'recovery'))).status).to.equal(200)
      expect((await ask.signIn(email, password)).status).to.equal(422)
      const { token } = (await ask.signIn(email, NEXT)).body
      const path = '/api/v1/profile/email'
      await running.send({ method: 'POST', path, token, body: { email: NEW, password: NEXT } })
      const confirmation = await mailTo(NEW, 'email')
      expect((await ask.confirm(tokenIn(confirmation, 'email'))).status).to.equal(200)
      expect((await ask.signIn(NEW, NEXT)).body.email_verified).to.equal(true)
      const warned = await eventually('the warning', async () =>
        relay.taken.find((mail) => isTo(mail, email) && /Another e-mail/.test(mail.headers.subject ?? '')),
      )
      expect(warned.raw).not.to.include(NEW)
      const grace = { email: 'grace@example.com', password: 'correct horse' }
      await ask.register({ ...grace, send_confirmation: true })
      const first = await mailTo(grace.email, 'email')
      expect((await ask.confirm(tokenIn(first, 'email'))).status).to.equal(200)
      expect((await ask.signIn(grace.email, grace.password)).body.email_verified).to.equal(true)
    } finally {
      await running.stop()
      await relay.stop()
    }
  })

  it('brings links to PUBLIC_URL, whatever host the request names', async () => {
    const relay = await startRelay()
    const running = await startService({ ...(await stores.fresh()), ...mailLinkSettings(relay.port) })
    try {
      const { email, password } = running.user
      const send = (path: string, token: string, body: object) =>
        running.send({ method: 'POST', path: `/api/v1/${path}`, token, body, headers: EVIL })
      await send('users/recovery/mail', await running.applicationToken(), { email })
      await send('profile/email', await running.userToken(), { email: NEW, password })
      const pages = await eventually('both mails', async () => {
        const found = ['recovery', 'email'].filter((page) =>
          relay.taken.some((mail) => tokenIn(mail, page) !== ''),
        )
        return found.length === 2 ? found : undefined
      })
      expect(pages).to.have.lengthOf(2)
      for (const { raw, text } of relay.taken) expect(raw + text).not.to.include('evil')
    } finally {
      await running.stop()
      await relay.stop()
    }
  })

  for (const [what, start] of [
    ['refuses every mail', () => startRelay({ onMailFrom: (_, __, done) => done(answering(553)) })],
    ['never answers', () => startScriptedRelay(() => {})],
    [
      'has gone',
      async () => {
        const { port, stop } = await startRelay()
        await stop()
        return { port, stop: async () => {} }
      },
    ],
  ] as const)
    it(`has the same answer for known and unknown e-mails while the relay ${what}`, async () => {
      const relay = await start()
      const running = await startService({ ...(await stores.fresh()), ...mailLinkSettings(relay.port) })
      try {
        const ask = await asking(running)
        const answers = new Set<string>()
        for (let each = 0; each < 3; each += 1)
          for (const email of [running.user.email, 'unknown@example.com', 'malformed']) {
            const { status, headers, body } = await ask.recovery(email)
            const { date: _, 'x-request-id': __, ...same } = headers
            answers.add(JSON.stringify([status, same, body]))
          }
        expect([...answers]).to.have.lengthOf(1)
        expect(JSON.parse([...answers][0] ?? '')[0]).to.equal(200)
        expect((await ask.email({})).status).to.equal(200)
      } finally {
        await relay.stop()
        await running.stop()
      }
    })
})
