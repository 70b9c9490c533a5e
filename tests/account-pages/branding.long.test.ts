import { hash } from 'node:crypto'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'chai'
import { qrCode } from '../../adapters/http/pages/qr.ts'
import { violations } from '../support/axe.ts'
import { describeInBrowser } from '../support/browser.ts'
import { freePort } from '../support/command.ts'
import { browserDesk } from './browser-desk.ts'
import { type PagesService, startPages } from './pages-service.ts'

/** With the line ends of another system, characters outside of ASCII, and an image. */
const STYLE = [
  '/* Otterworks – ours */',
  ':root { --link: #7a1fa2; --on-link: #ffffff; }',
  'header { background: url("data:image/gif;base64,R0lGODlhAQABAAAAACH5BAEKAAEALAAAAAABAAEAAAICTAEAOw=="); }',
  'header::after { content: "\\2014"; }',
].join('\r\n')

const LOGO = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 40 10" width="160" height="40" onload="parent.hacked = 1">
<script>parent.hacked = 1; document.title = 'hacked'</script>
<image href="https://evil.example/a.png" width="1" height="1"/>
<rect width="40" height="10" fill="#7a1fa2"/></svg>`

const folder = mkdtempSync(join(tmpdir(), 'portcullis-branding-'))
const start = async (): Promise<PagesService> => {
  mkdirSync(join(folder, 'texts'), { recursive: true })
  writeFileSync(join(folder, 'style.css'), STYLE)
  writeFileSync(join(folder, 'logo.svg'), LOGO)
  writeFileSync(
    join(folder, 'texts', 'fr.json'),
    JSON.stringify({ 'sign_in.heading': 'Connexion', 'sign_in.button': '<b>Entrer</b>' }),
  )
  const PORT = String(await freePort())
  const environment = { PORT, PUBLIC_URL: `http://127.0.0.1:${PORT}`, PAGES_NAME: 'Otter & "Works"' }
  return startPages({ ...environment, PAGES_FOLDER: folder })
}
after(() => rmSync(folder, { recursive: true }))

describe('the pages with PAGES_FOLDER', () => {
  let pages: PagesService
  before(async () => {
    pages = await start()
  })
  after(() => pages.stop())

  it('have the style and the logo on each page, and a policy for them', async () => {
    const desk = browserDesk(pages)
    await desk.signIn()
    for (const path of ['/account', '/account/password', '/account/recovery?token=a', '/account/sign-out']) {
      const { html, headers } = await desk.get(path)
      const [, style = ''] = /<style>(.*)<\/style>/s.exec(html) ?? []
      expect(style, path).to.include('--link: #7a1fa2').and.not.include('\r')
      expect(headers['content-security-policy'])
        .to.include(`style-src 'sha256-${hash('sha256', style, 'base64')}'`)
        .and.include('img-src data:')
      expect(html).to.include(
        `<header><p><img class="logo" src="data:image/svg+xml;base64,${Buffer.from(LOGO).toString('base64')}" alt="Otter &amp; &quot;Works&quot;"></p></header>`,
      )
    }
  })

  it('are in a language of the folder, whose missing texts are English', async () => {
    const { html, headers } = await pages.get('/account/sign-in', { 'accept-language': 'fr-CH, de;q=0.5' })
    expect(headers['content-language']).to.equal('fr')
    expect(html)
      .to.include('<html lang="fr">')
      .and.include('<h1>Connexion</h1>')
      .and.include('&lt;b&gt;Entrer&lt;/b&gt;')
      .and.include('E-mail address')
  })

  it('have the label of the QR code as text', async () => {
    const { html } = await qrCode('otpauth://totp/a', `L'appli "$&"><img src="data:,">`)
    expect(html)
      .to.match(
        /^<svg class="qr" role="img" aria-label="L&#39;appli &quot;\$&amp;&quot;&gt;&lt;img src=[^<>]*" xmlns=/,
      )
      .and.not.include('<img')
  })
})

describeInBrowser('the pages with PAGES_FOLDER', (visit) => {
  let pages: PagesService
  before(async () => {
    pages = await start()
  })
  after(() => pages.stop())

  for (const colorScheme of ['light', 'dark'] as const)
    it(`SVG with script: not run, and style.css is used, in the ${colorScheme} scheme`, () =>
      visit(
        pages.baseUrl,
        async ({ page, requests, complaints }) => {
          const url = `${pages.baseUrl}/account/sign-in`
          await page.goto(url)
          const logo = page.getByAltText('Otter & "Works"')
          expect((await logo.boundingBox())?.height).to.equal(48)
          expect(await page.evaluate('document.querySelector(".logo").naturalWidth')).to.equal(160)
          expect(await page.evaluate('window.hacked')).to.equal(undefined)
          expect(await page.title()).to.include('Sign in')
          const background =
            'getComputedStyle(document.querySelector("main > form > button")).backgroundColor'
          expect(await page.evaluate(background)).to.equal('rgb(122, 31, 162)')
          expect(await page.evaluate('document.documentElement.scrollWidth')).to.equal(320)
          if (colorScheme === 'light') expect(await violations(page)).to.deep.equal([])
          expect(requests.filter((request) => !request.startsWith('data:'))).to.deep.equal([url])
          expect(complaints).to.deep.equal([])
        },
        { colorScheme, viewport: { width: 320, height: 640 } },
      ))
})
