import { expect } from 'chai'
import { browserDesk } from '../account-pages/browser-desk.ts'
import { pageClient } from '../account-pages/pages-service.ts'
import { mailLinkSettings } from '../support/mail-links.ts'
import { withService } from '../support/with-service.ts'

const CHANGE = '/api/v1/profile/change_password'
const PAGE = '/account/password'

describe('password changes of a service that mails notices', () => {
  it('are 20 an hour of a user, by the route and by the page; then the answer is 429 with Retry-After', async () => {
    await withService(mailLinkSettings(), async ({ send, userToken, user, port }) => {
      const token = await userToken()
      const fields = (password: string) => ({
        old_password: user.password,
        new_password: password,
        new_password_check: password,
      })
      const byRoute = (password: string) =>
        send({ method: 'POST', path: CHANGE, token, body: fields(password) })
      const client = pageClient(`http://127.0.0.1:${port}`)
      const browser = browserDesk({ ...client, ada: { ...user, id: '' } })

      for (let each = 0; each < 20; each += 1) expect((await byRoute(user.password)).status).to.equal(200)
      const refused = await byRoute('another')
      expect(refused.status).to.equal(429)
      expect(Number(refused.headers['retry-after'])).to.be.within(1, 3_600)
      expect(refused.body.message).to.match(/^Too many changes of the password were made/)
      await browser.signIn() // each change has ended the other sessions
      const page = await browser.post(PAGE, fields('another'))
      await client.close()
      expect(page.status).to.equal(429)
      expect(Number(page.headers['retry-after'])).to.be.within(1, 3_600)
      expect(page.html).to.include('>Too many attempts<').and.to.include('Nothing was changed. Wait ')
      await userToken() // with the same password
    })
  })
})
