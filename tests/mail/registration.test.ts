import { expect } from 'chai'
import { browserDesk, leadsTo } from '../account-pages/browser-desk.ts'
import { codesAtFields, startPages } from '../account-pages/pages-service.ts'
import { REGISTER, tokenOf, WITH_REGISTRATION } from '../account-pages/register-desk.ts'
import { eventually } from '../support/eventually.ts'
import { startRelay, type TakenMail } from '../support/mail-relay.ts'
import { onSqlite } from '../support/one-store.ts'

const EVE = 'eve@example.org'
const PASSWORD = 'correct horse battery'

onSqlite('a registration through a relay', (stores) => {
  it('goes from the page over the mail to an account in German, and out of it', async () => {
    const relay = await startRelay()
    const pages = await startPages({
      ...(await stores.fresh()),
      ...WITH_REGISTRATION,
      MAIL_URL: `smtp://127.0.0.1:${relay.port}`,
      MAIL_EXTRA: 'welcome',
    })
    const mailOf = (words: string): Promise<TakenMail> =>
      eventually(words, async () => relay.taken.find(({ text }) => text.includes(words)))
    try {
      const browser = browserDesk({ ...pages, ada: { id: '', email: EVE, password: PASSWORD } })
      const german = { 'accept-language': 'de' }
      const signIn = await browser.get('/account/sign-in', german)
      const [, path = ''] = /href="([^"]*)">Konto erstellen/.exec(signIn.html) ?? []
      expect((await browser.get(path, german)).html).to.include('<h1>Konto erstellen</h1>')
      const asked = await browser.post(REGISTER, { email: EVE }, german)
      expect((await browser.get(String(asked.headers.location), german)).html).to.include(
        '<h1>Sehen Sie in Ihrem Postfach nach</h1>',
      )
      const mail = await mailOf('Um die Registrierung abzuschließen')
      expect([mail.to, mail.headers['content-language']]).to.deep.equal([[EVE], 'de'])
      expect(mail.text).to.include('24 Stunden')
      const [, link = ''] = /^https:\/\/service\.test(\/account\/register\?token=\S+)$/m.exec(mail.text) ?? []
      expect((await browser.get(link)).html).to.include('<h1>Passwort wählen</h1>')
      const form = { token: tokenOf(link), ui_locales: 'de', new_password: PASSWORD }
      const mistaken = await browser.post(REGISTER, { ...form, new_password_check: 'x' })
      expect(codesAtFields(mistaken.html)).to.deep.equal({ new_password_check: 5 })
      const made = await browser.post(REGISTER, { ...form, new_password_check: PASSWORD })
      expect((await browser.get(String(made.headers.location))).html)
        .to.include('<h1>Ihr Konto</h1>')
        .and.include(EVE)
      expect((await mailOf('Ihr Konto bei Portcullis ist eingerichtet')).text).to.include(
        'https://service.test/account',
      )
      expect((await browser.post('/account/sign-out', {})).headers.location).to.include('notice=signed_out')
      expect((await browser.get('/account')).status).to.equal(303)
      expect(leadsTo(await browser.signIn())).to.deep.equal([303, '/account'])
      await browser.post(REGISTER, { email: EVE })
      const known = await mailOf('aber Sie haben schon eines')
      expect(known.text)
        .to.include('https://service.test/account/sign-in')
        .and.include('https://service.test/account/forgotten')
        .and.not.include('token')
    } finally {
      await pages.stop()
      await relay.stop()
    }
  })
})
