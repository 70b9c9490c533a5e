import { expect } from 'chai'
import { eventually } from '../support/eventually.ts'
import { OPERATOR } from '../support/operator.ts'
import { succeed } from '../support/outcome.ts'
import { CONTEXT } from '../support/request-context.ts'
import { type RunningService, startService } from '../support/running-service.ts'
import { accountMail, type MailSettings } from './mail/mail.ts'
import { type Received, startMailbox } from './mail/mailbox.ts'

const SITE = 'https://shop.test'
const CONTACT = 'help@shop.test'
/** The e-mail of the user as mail servers see it: nodemailer lowers the domain. */
const ADA = 'Ada@example.com'
const END_USER = '192.0.2.1'
const NEW = { newPassword: 'quarrel lantern meadow', newPasswordCheck: 'quarrel lantern meadow' }
const STARTED = { ok: true }

describe('the example that sends mail', () => {
  let running: RunningService
  let mailbox: Awaited<ReturnType<typeof startMailbox>>
  let mail: ReturnType<typeof accountMail>
  let settings: MailSettings
  let received: Array<Received>
  let reports: Array<string>

  beforeEach(async () => {
    running = await startService()
    received = []
    reports = []
    mailbox = await startMailbox(0, (one) => received.push(one))
    const scope = 'users:recover users:confirm_email'
    const made = await succeed(running.service.registerApplication(CONTEXT, { name: 'mailer', scope }))
    settings = {
      portcullisUrl: `http://127.0.0.1:${running.port}`,
      keys: { publicApiKey: made.publicApiKey, privateApiKey: made.privateApiKey },
      smtpUrl: `smtp://127.0.0.1:${mailbox.port}`,
      from: 'Shop <no-reply@shop.test>',
      contact: CONTACT,
      site: SITE,
      report: (why) => reports.push(why),
    }
    mail = accountMail(settings)
  })
  afterEach(async () => {
    await mail.close()
    await mailbox.stop()
    await running.stop()
  })

  /** The next mail to this address. */
  const mailTo = (address: string): Promise<Received> =>
    eventually(`a mail to ${address}`, async () => {
      const index = received.findIndex(({ to }) => to.includes(address))
      return index < 0 ? undefined : received.splice(index, 1)[0]
    })
  /** What the link of a mail to this page carries. */
  const linkIn = ({ text }: Received, page: string): string => {
    const [line = ''] = text.split(/\r?\n/).filter((one) => one.startsWith(`${SITE}/`))
    const url = new URL(line)
    expect(url.pathname).to.equal(`/${page}`)
    return url.searchParams.get('link') ?? ''
  }
  /** Ends the mailer, so that every mail that it had to send has arrived. */
  const allMails = async (): Promise<ReadonlyArray<Received>> => {
    await mail.close()
    return received
  }
  const recoveryLink = async (): Promise<string> => {
    mail.startRecovery(running.user.email, END_USER)
    return linkIn(await mailTo(ADA), 'recovery')
  }
  const profile = async () =>
    (await running.send({ method: 'GET', path: '/api/v1/profile', token: await running.userToken() })).body
  const problemsOf = (answer: Awaited<ReturnType<typeof mail.completeEmail>>) =>
    answer.ok ? [] : answer.problems.map(({ code, field }) => [code, field])

  describe('recovers an account', () => {
    it('with the link in a mail to the address on record, and tells the user afterwards', async () => {
      expect(mail.startRecovery('ADA@EXAMPLE.COM', END_USER)).to.deep.equal(STARTED)
      const invitation = await mailTo(ADA)
      expect(invitation.headers).to.include({ subject: 'Set a new password', from: settings.from })
      expect(invitation.text).to.include('once, for 60 minutes').and.to.include(CONTACT)

      const answer = await mail.completeRecovery(linkIn(invitation, 'recovery'), NEW)
      expect(answer).to.include({ ok: true })
      const notification = await mailTo(ADA)
      expect(notification.headers.subject).to.equal('Your password was reset')
      expect(notification.text).to.include(CONTACT)
      expect(await running.userToken({ ...running.user, password: NEW.newPassword })).to.match(/^v4\./)
      expect(await allMails()).to.deep.equal([])
    })

    it('after all mistakes at once, which use up nothing', async () => {
      const link = await recoveryLink()
      const wrong = { newPassword: '', newPasswordCheck: 'other' }
      expect(problemsOf(await mail.completeRecovery(link, wrong))).to.deep.equal([
        [2, 'newPassword'],
        [5, 'newPasswordCheck'],
      ])
      expect((await mail.completeRecovery(link, NEW)).ok).to.equal(true)
    })

    it('sends nothing for an e-mail without an enabled account, and returns the same', async () => {
      const eve = { email: 'eve@example.com', password: 'a disabled user' }
      await succeed(running.service.registerUser(CONTEXT, eve, OPERATOR))
      await succeed(running.service.disableUser(CONTEXT, eve.email))
      for (const email of [
        'nobody@example.com',
        eve.email,
        'no e-mail',
        'ada@example.com\r\nBcc: eve@example.com',
      ])
        expect(mail.startRecovery(email, END_USER), email).to.deep.equal(STARTED)
      expect(mail.startRecovery(running.user.email, END_USER)).to.deep.equal(STARTED)
      expect((await allMails()).map(({ to }) => to)).to.deep.equal([[ADA]])
      expect(reports).to.deep.equal([])
    })
  })

  describe('answers before it asks', () => {})

  describe('changes an e-mail', () => {
    const change = (email: string, password: string) =>
      mail.startEmail({ userId: running.user.id, email, password })

    it('with the link in a mail to the new address, and tells the replaced one at once', async () => {
      expect(await change('ada@new.test', running.user.password)).to.deep.equal(STARTED)
      const warning = await mailTo(ADA)
      expect(warning.headers.subject).to.equal('Another e-mail address was entered for your account')
      expect(warning.text).to.include(CONTACT).and.not.to.include('link=').and.not.to.include('new.test')
      const invitation = await mailTo('ada@new.test')
      expect(invitation.text).to.include('once, for 24 hours')
      expect(await profile()).to.include({ email: running.user.email, email_verified: false })

      expect((await mail.completeEmail(linkIn(invitation, 'email'))).ok).to.equal(true)
      for (const address of [ADA, 'ada@new.test'])
        expect((await mailTo(address)).headers.subject).to.equal('Your e-mail address was changed')
      const token = await running.userToken({ ...running.user, email: 'ada@new.test' })
      const { body } = await running.send({ method: 'GET', path: '/api/v1/profile', token })
      expect(body).to.include({ email: 'ada@new.test', email_verified: true })
      expect(await allMails()).to.deep.equal([])
    })

    it('not without the password, and then sends nothing', async () => {
      expect(problemsOf(await change('ada@new.test', 'wrong'))).to.deep.equal([[7, 'password']])
      expect(problemsOf(await change('a@b@c\r\nBcc: eve@example.com', running.user.password))).to.deep.equal([
        [5, 'email'],
      ])
      expect(await allMails()).to.deep.equal([])
    })
  })

  describe('takes only links that it wrote', () => {
    it('not a changed one', async () => {
      const link = await recoveryLink()
      const inTheTag = link.replace(
        /\.(.)([^.]*)$/,
        (_, first, rest) => `.${first === 'A' ? 'B' : 'A'}${rest}`,
      )
      for (const forged of ['', 'ort_x', `${link}A`, inTheTag])
        expect(problemsOf(await mail.completeRecovery(forged, NEW)), forged).to.deep.equal([[1, 'token']])
      const more = { ...NEW, token: 'ort_x' }
      expect((await mail.completeRecovery(link, more)).ok).to.equal(true)
    })

    it('not one of another application, which could tell another address', async () => {
      const scope = 'users:recover users:confirm_email'
      const made = await succeed(running.service.registerApplication(CONTEXT, { name: 'other', scope }))
      const keys = { publicApiKey: made.publicApiKey, privateApiKey: made.privateApiKey }
      const other = accountMail({ ...settings, keys })
      const link = await recoveryLink()
      expect(problemsOf(await other.completeRecovery(link, NEW))).to.deep.equal([[1, 'token']])
      await other.close()
    })

    it('and shows neither token nor address in a link', async () => {
      const link = await recoveryLink()
      const shown = link.split('.').map((part) => Buffer.from(part, 'base64url').toString('latin1'))
      expect(`${link} ${shown.join(' ')}`).not.to.match(/ort_|example/i)
    })
  })

  describe('sends mails that', () => {
    it('say what happened and when, what to do, and whom to write to', async () => {
      mail.passwordChanged(running.user.email)
      const changed = await mailTo(ADA)
      mail.accountRemoved(running.user.email)
      const removed = await mailTo(ADA)
      const WHEN = String.raw`at \w{3}, \d\d \w{3} \d{4} \d\d:\d\d:\d\d GMT\.`
      expect(changed.text).to.match(new RegExp(`^Your password was changed ${WHEN}`))
      expect(changed.text).to.include(
        `If you did not: set another password at ${SITE}, and write to ${CONTACT}`,
      )
      expect(removed.text).to.match(new RegExp(`^Your account was removed ${WHEN}`))
      expect(removed.text).to.include(`If you did not: write to ${CONTACT} at once.`)
    })

    const ODD = [
      '=?utf-8?q?=0d=0abcc=3aeve?=@example.com',
      '{a|b}/*&%$#!@example.com',
      "o'hara=3D@example.com",
    ]
    for (const email of ODD) {
      it(`go to the odd address and to no other: ${email}`, async () => {
        await succeed(running.service.registerUser(CONTEXT, { email, password: 'pw' }, OPERATOR))
        mail.startRecovery(email, END_USER)
        const invitation = await mailTo(email)
        expect(invitation.to).to.deep.equal([email])
        expect(invitation.headers).not.to.have.any.keys('cc', 'bcc')
        expect((await mail.completeRecovery(linkIn(invitation, 'recovery'), NEW)).ok).to.equal(true)
        expect((await mailTo(email)).to).to.deep.equal([email])
      })
    }

    for (const email of [
      'ada@example.com\r\nBcc: eve@example.com',
      'ada@example.com, eve@example.com',
      'ada@example.com>, <eve@example.com',
      'Ada <eve@example.com>',
    ]) {
      it(`never reach a second address that is hidden in the first: ${JSON.stringify(email)}`, async () => {
        mail.passwordChanged(email)
        expect(await allMails()).to.deep.equal([])
        expect(reports).to.deep.equal(['EENVELOPE'])
      })
    }
  })
})
