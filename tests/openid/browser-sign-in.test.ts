import { expect } from 'chai'
import type { Page } from 'playwright-core'
import { describeInBrowser } from '../support/browser.ts'
import { verifiedUser } from '../support/factor-desk.ts'
import { fillSignIn, heading, type OpenIdPlace, PHONE, shownBy, startOpenIdPlace } from './browser-desk.ts'

describeInBrowser('a person who is led from an application to the sign-in page', (visitor) => {
  let place: OpenIdPlace
  before(async () => {
    place = await startOpenIdPlace(visitor)
  })
  after(() => place.stop())

  const at = (path: string) => `${place.provider.issuer}${path}`
  const pathOf = (page: Page) => new URL(page.url()).pathname
  const newUser = () => verifiedUser(place.provider.pages)

  it('goes through a page that fits, whose policy lets forms lead nowhere else', async () => {
    const user = await newUser()
    await place.visit(async ({ page }) => {
      const policies: Array<string | undefined> = []
      const widths: Array<unknown> = []
      page.on('response', (response) => {
        if (response.url().startsWith(at('/account')))
          policies.push(response.headers()['content-security-policy'])
      })
      await page.goto(place.shop.start())
      expect(pathOf(page)).to.equal('/account/sign-in')
      widths.push(await page.evaluate('document.documentElement.scrollWidth'))
      await fillSignIn(page, { ...user, password: 'wrong' })
      widths.push(await page.evaluate('document.documentElement.scrollWidth'))
      await fillSignIn(page, user)
      const { idToken: _, ...shown } = await shownBy(page, place.shop)
      expect(shown).to.deep.equal({
        sub: user.id,
        acr: 'aal1',
        amr: ['pwd'],
        email: user.email,
        method: 'GET',
      })
      expect(widths).to.deep.equal([PHONE.width, PHONE.width])
      expect(policies).to.have.lengthOf(3)
      for (const policy of policies) expect(policy).to.include("form-action 'self'")
    })
  })

  it('signs in once for two applications, without another page', async () => {
    const user = await newUser()
    await place.visit(async ({ page, requests }) => {
      await page.goto(place.shop.start())
      await fillSignIn(page, user)
      await shownBy(page, place.shop)
      const before = requests.length
      await page.goto(place.blog.start())
      expect((await shownBy(page, place.blog)).sub).to.equal(user.id)
      expect(requests.slice(before).filter((url) => url.includes('/account/'))).to.deep.equal([])
      await page.goto(place.shop.start({ prompt: 'none' }))
      expect((await shownBy(page, place.shop)).sub).to.equal(user.id)
      expect(await heading(page)).to.equal('Shop')
    })
  })
})
