import { expect } from 'chai'
import type { Page } from 'playwright-core'
import { describeInBrowser } from '../support/browser.ts'
import { freePort } from '../support/command.ts'
import { eventually } from '../support/eventually.ts'
import { FACTOR_SETTINGS, totpAt } from '../support/factor-desk.ts'
import { type RegisterDesk, startRegistering } from './register-desk.ts'

const PHONE = { width: 320, height: 640 }

describeInBrowser('a person who lives a whole account life in a browser, in German on a phone', (visit) => {
  let pages: RegisterDesk
  before(async () => {
    const PORT = String(await freePort())
    const PUBLIC_URL = `http://127.0.0.1:${PORT}`
    pages = await startRegistering({ ...FACTOR_SETTINGS, PORT, PUBLIC_URL, PASSWORD_POLICY: 'nist' })
  })
  after(() => pages.stop())

  const press = (page: Page, name: string) =>
    Promise.all([page.waitForEvent('load'), page.getByRole('button', { name, exact: true }).press('Enter')])
  const follow = (page: Page, name: string) =>
    Promise.all([page.waitForEvent('load'), page.getByRole('link', { name, exact: true }).press('Enter')])
  const fill = (page: Page, label: string, text: string) => page.getByLabel(label, { exact: true }).fill(text)
  const heading = (page: Page) => page.getByRole('heading', { level: 1 }).innerText()
  const notice = (page: Page) => page.getByRole('status').innerText()
  const openLink = async (page: Page, email: string, path: string) => {
    const link = await eventually(`the link to ${path} for ${email}`, async () => {
      const letters = pages.mailer.received.filter(({ to, text }) => to === email && text.includes(path))
      return letters.at(-1)?.text.match(/^http\S+\?token=\S+$/m)?.[0]
    })
    await page.goto(link)
  }

  const register = async (page: Page, email: string, password: string) => {
    await page.goto(`${pages.baseUrl}/account`)
    expect(await heading(page)).to.equal('Anmelden')
    await follow(page, 'Konto erstellen')
    await fill(page, 'E-Mail-Adresse', email)
    await press(page, 'Link schicken')
    expect(await heading(page)).to.equal('Sehen Sie in Ihrem Postfach nach')
    await openLink(page, email, '/account/register')
    expect(await page.getByLabel('E-Mail-Adresse').inputValue()).to.equal(email)
    expect(await page.getByLabel('E-Mail-Adresse').isEditable()).to.equal(false)
    await fill(page, 'Neues Passwort', password)
    await fill(page, 'Neues Passwort wiederholen', password)
    await press(page, 'Konto erstellen')
    expect(await heading(page)).to.equal('Ihr Konto')
    expect(await page.locator('main').innerText()).to.include(email)
  }
  const signIn = async (page: Page, email: string, password: string) => {
    await fill(page, 'E-Mail-Adresse', email)
    await fill(page, 'Passwort', password)
    await press(page, 'Anmelden')
  }
  const changePassword = async (page: Page, from: string, to: string) => {
    await follow(page, 'Passwort ändern')
    await fill(page, 'Aktuelles Passwort', from)
    await fill(page, 'Neues Passwort', to)
    await fill(page, 'Neues Passwort wiederholen', to)
    await press(page, 'Passwort ändern')
    expect(await notice(page)).to.include('Ihr Passwort wurde geändert.')
  }
  const changeEmail = async (page: Page, to: string, password: string) => {
    await follow(page, 'E-Mail-Adresse ändern')
    await fill(page, 'Neue E-Mail-Adresse', to)
    await fill(page, 'Passwort', password)
    await press(page, 'Link dorthin schicken')
    expect(await heading(page)).to.equal('Sehen Sie in Ihrem Postfach nach')
    await openLink(page, to, '/account/email')
    await press(page, 'Bestätigen')
    expect(await heading(page)).to.equal('Ihre E-Mail-Adresse ist bestätigt')
  }
  const recover = async (page: Page, email: string, password: string) => {
    await page.goto(`${pages.baseUrl}/account/sign-in`)
    await follow(page, 'Passwort vergessen?')
    await fill(page, 'E-Mail-Adresse', email)
    await press(page, 'Link schicken')
    expect(await heading(page)).to.equal('Sehen Sie in Ihrem Postfach nach')
    await openLink(page, email, '/account/recovery')
    await fill(page, 'Neues Passwort', password)
    await fill(page, 'Neues Passwort wiederholen', password)
    await press(page, 'Neues Passwort setzen')
    expect(await notice(page)).to.include('Ihr neues Passwort ist gesetzt')
  }
  const remove = async (page: Page, password: string) => {
    await follow(page, 'Konto löschen')
    await fill(page, 'Passwort', password)
    await press(page, 'Konto löschen')
    expect(await page.getByRole('alert').innerText()).to.include('Setzen Sie dieses Häkchen')
    await fill(page, 'Passwort', password)
    await page.getByRole('checkbox').check()
    await press(page, 'Konto löschen')
    expect(await notice(page)).to.equal('Ihr Konto wurde gelöscht.')
    expect((await page.context().cookies()).map(({ name }) => name)).to.deep.equal([])
    await page.goto(`${pages.baseUrl}/account`)
    expect(await heading(page)).to.equal('Anmelden')
  }
  const signOut = async (page: Page) => {
    await page.goto(`${pages.baseUrl}/account`)
    await press(page, 'Abmelden')
    expect(await notice(page)).to.equal('Sie sind abgemeldet.')
  }
  /** Returns what the app makes codes of, and the recovery codes. */
  const addApp = async (page: Page) => {
    await follow(page, 'Zweite Faktoren')
    await press(page, 'Authenticator-App hinzufügen')
    const secret = (await page.locator('#secret').innerText()).replaceAll(' ', '')
    await fill(page, 'Code, den die App anzeigt', totpAt(secret, pages.now()))
    await press(page, 'Diese App hinzufügen')
    expect(await heading(page)).to.equal('Ihre App wurde hinzugefügt')
    return { secret, codes: await page.locator('.codes code').allInnerTexts() }
  }

  /** No word of a page is cut off, and the browser complains about nothing but mistakes in forms. */
  const live = async (script: boolean, life: (page: Page) => Promise<void>) =>
    visit(
      pages.baseUrl,
      async ({ page, complaints }) => {
        const widths = new Set<unknown>()
        page.on('load', async () => widths.add(await page.evaluate('document.documentElement.scrollWidth')))
        await life(page)
        if (script) expect([...widths]).to.deep.equal([PHONE.width])
        expect(complaints.filter((complaint) => !complaint.includes('422'))).to.deep.equal([])
      },
      { javaScriptEnabled: script, locale: 'de', viewport: PHONE },
    )

  it('without a second factor, and without script', async () => {
    const [email, later] = ['eve@example.com', 'eve@lovelace.example']
    await live(false, async (page) => {
      await register(page, email, 'blaue Kreide am Fenster')
      await changePassword(page, 'blaue Kreide am Fenster', 'grüne Kreide am Fenster')
      await changeEmail(page, later, 'grüne Kreide am Fenster')
      await signOut(page)
      await recover(page, later, 'rote Kreide am Fenster')
      await signIn(page, later, 'rote Kreide am Fenster')
      expect(await page.locator('main').innerText()).to.include(later)
      await remove(page, 'rote Kreide am Fenster')
    })
  })

  it('with a second factor', async () => {
    const email = 'grace@example.com'
    await live(true, async (page) => {
      await register(page, email, 'blaue Kreide am Fenster')
      const { codes } = await addApp(page)
      await signOut(page)
      await signIn(page, email, 'blaue Kreide am Fenster')
      expect(await heading(page)).to.equal('Bestätigen Sie, dass Sie es sind')
      await fill(page, 'Oder ein Wiederherstellungscode', codes[0] ?? '')
      await press(page, 'Weiter')
      await changePassword(page, 'blaue Kreide am Fenster', 'grüne Kreide am Fenster')
      await follow(page, 'Zweite Faktoren')
      expect(await page.locator('main').innerText()).to.include('Sie haben noch 9 Codes.')
      await press(page, 'Entfernen')
      expect(await page.locator('main').innerText()).to.include('ist Ihr letzter zweiter Faktor')
      await press(page, 'Entfernen')
      expect(await notice(page)).to.include('Der zweite Faktor wurde entfernt.')
      await follow(page, 'Zurück zu Ihrem Konto')
      await remove(page, 'grüne Kreide am Fenster')
    })
  })
})
