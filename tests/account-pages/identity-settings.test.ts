import { expect } from 'chai'
import { leadsTo } from './browser-desk.ts'
import { CALLBACK, SIGN_IN, startIdentityPlace } from './identities-desk.ts'
import { startPages } from './pages-service.ts'

describe('a person who is new, and signs in at an identity provider', () => {
  it('is registered without a password if the operator permits that', async () => {
    const place = await startIdentityPlace({ IDENTITY_REGISTRATION: 'on' })
    try {
      const browser = place.page.desk()
      const done = await place.signIn(browser, { id: 9, email: 'new@example.com' })
      expect(leadsTo(done)).to.deep.equal([303, '/account'])
      expect((await browser.get('/account')).html).to.include('new@example.com')
    } finally {
      await place.stop()
    }
  })
})

describe('without identity providers', () => {
  it('there is no button and no page of one', async () => {
    const pages = await startPages()
    try {
      expect((await pages.get(SIGN_IN)).html).not.to.include('name="provider"')
      expect((await pages.get(CALLBACK)).status).to.equal(404)
    } finally {
      await pages.stop()
    }
  })
})
