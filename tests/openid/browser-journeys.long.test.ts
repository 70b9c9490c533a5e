import { expect } from 'chai'
import type { Page } from 'playwright-core'
import { describeInBrowser } from '../support/browser.ts'
import { verifiedUser } from '../support/factor-desk.ts'
import {
  fill,
  fillSignIn,
  follow,
  heading,
  notice,
  type OpenIdPlace,
  press,
  shownBy,
  startOpenIdPlace,
} from './browser-desk.ts'

describeInBrowser('a browser between an application and the provider', (visitor) => {
  let place: OpenIdPlace
  before(async () => {
    place = await startOpenIdPlace(visitor)
  })
  after(() => place.stop())

  const at = (path: string) => `${place.provider.issuer}${path}`
  const pathOf = (page: Page) => new URL(page.url()).pathname
  const newUser = () => verifiedUser(place.provider.pages)
  const alert = (page: Page) => page.getByRole('alert').first().innerText()

  it('answers two requests in two tabs, each with its own state', async () => {
    const user = await newUser()
    await place.visit(async ({ page }) => {
      const other = await page.context().newPage()
      await page.goto(place.shop.start())
      await other.goto(place.blog.start())
      await fillSignIn(page, user)
      expect((await shownBy(page, place.shop)).sub).to.equal(user.id)
      await fillSignIn(other, user)
      expect((await shownBy(other, place.blog)).sub).to.equal(user.id)
      await page.goto(place.blog.start())
      expect((await shownBy(page, place.blog)).sub).to.equal(user.id)
    })
  })

  it('answers two requests of one application, the later one first', async () => {
    const user = await newUser()
    await place.visit(async ({ page }) => {
      const other = await page.context().newPage()
      await page.goto(place.shop.start())
      await other.goto(place.shop.start({ prompt: 'login' }))
      await fillSignIn(other, user)
      expect((await shownBy(other, place.shop)).sub).to.equal(user.id)
      await page.reload()
      expect((await shownBy(page, place.shop)).sub).to.equal(user.id)
    })
  })

  it('goes back after the sign-in: the application gets its answer again, and shows no error page of ours', async () => {
    const user = await newUser()
    await place.visit(async ({ page }) => {
      await page.goto(place.shop.start())
      await fillSignIn(page, user)
      await shownBy(page, place.shop)
      await page.goBack()
      // The answer is a new one to the same request. The application has used its state already.
      expect(await shownBy(page, place.shop)).to.deep.equal({ error: 'unknown state' })
      await page.goto(place.shop.start())
      expect((await shownBy(page, place.shop)).sub).to.equal(user.id)
    })
  })

  it('loads each page again, and then goes on', async () => {
    const user = await newUser()
    await place.visit(async ({ page }) => {
      await page.goto(place.shop.start())
      await page.reload()
      await fillSignIn(page, { ...user, password: 'wrong' })
      await page.reload() // sends the form again
      await fillSignIn(page, user)
      await shownBy(page, place.shop)
      await page.goto(place.shop.start({ prompt: 'login' }))
      await page.reload()
      expect(pathOf(page)).to.equal('/account/step-up')
      await fill(page, 'Password', 'wrong')
      await press(page, 'Continue')
      await page.reload()
      await fill(page, 'Password', user.password)
      await press(page, 'Continue')
      expect((await shownBy(page, place.shop)).sub).to.equal(user.id)
      await page.goto(place.shop.start({ prompt: 'select_account' }))
      await page.reload()
      expect(await notice(page)).to.equal('With which account do you want to go on?')
      await follow(page, `Stay signed in as ${user.email}`)
      expect((await shownBy(page, place.shop)).sub).to.equal(user.id)
    })
  })

  it('changes the account, because the application wants another user', async () => {
    const [ada, bob] = [await newUser(), await newUser()]
    await place.visit(async ({ page }) => {
      await page.goto(place.shop.start())
      await fillSignIn(page, ada)
      const { idToken = '' } = await shownBy(page, place.shop)
      await page.context().clearCookies()
      await page.goto(at('/account/sign-in'))
      await fillSignIn(page, bob)

      await page.goto(place.shop.start({ id_token_hint: idToken }))
      expect(await notice(page)).to.equal('The application asks for another account. Sign in with that one.')
      await fillSignIn(page, ada)
      expect(await alert(page)).to.include(bob.email)
      await fill(page, 'Password', ada.password)
      await press(page, 'Sign in')
      expect((await shownBy(page, place.shop)).sub).to.equal(ada.id)
      await page.goto(place.shop.start({ id_token_hint: idToken, prompt: 'none' }))
      expect((await shownBy(page, place.shop)).sub).to.equal(ada.id)
    })
  })

  it('tells an application that wants no page that the other user is not signed in', async () => {
    const [ada, bob] = [await newUser(), await newUser()]
    await place.visit(async ({ page }) => {
      await page.goto(place.shop.start())
      await fillSignIn(page, ada)
      const { idToken = '' } = await shownBy(page, place.shop)
      await page.context().clearCookies()
      await page.goto(at('/account/sign-in'))
      await fillSignIn(page, bob)
      await page.goto(place.shop.start({ id_token_hint: idToken, prompt: 'none' }))
      expect(await shownBy(page, place.shop)).to.deep.equal({ error: 'login_required' })
    })
  })

  it('lets a person choose another account', async () => {
    const [ada, bob] = [await newUser(), await newUser()]
    await place.visit(async ({ page }) => {
      await page.goto(place.shop.start())
      await fillSignIn(page, ada)
      await shownBy(page, place.shop)
      await page.goto(place.shop.start({ prompt: 'select_account' }))
      await fillSignIn(page, bob)
      expect(await alert(page)).to.include(ada.email)
      await fill(page, 'Password', bob.password)
      await press(page, 'Sign in')
      expect((await shownBy(page, place.shop)).sub).to.equal(bob.id)
    })
  })

  it('needs no script', async () => {
    const user = await newUser()
    await place.visit(
      async ({ page }) => {
        await page.goto(place.shop.start())
        await fillSignIn(page, user)
        expect((await shownBy(page, place.shop)).sub).to.equal(user.id)
        await page.goto(place.shop.start({ prompt: 'login' }))
        await fill(page, 'Password', user.password)
        await press(page, 'Continue')
        expect((await shownBy(page, place.shop)).sub).to.equal(user.id)
        await page.goto(at('/oauth2/end_session'))
        await press(page, 'Sign out')
        expect(await notice(page)).to.equal('You are signed out.')
      },
      { javaScriptEnabled: false },
    )
  })

  it('gets an error page of ours if the application names an unknown address', async () => {
    await place.visit(async ({ page, complaints }) => {
      await page.goto(place.shop.start({ redirect_uri: `${place.blog.origin}/callback` }))
      expect(pathOf(page)).to.equal('/oauth2/authorize')
      expect(await alert(page)).to.include('The application sent a wrong request')
      expect(await page.locator('main code').innerText()).to.equal('invalid_redirect_uri')
      expect(complaints.join()).to.include('400')
    })
  })

  describe('that signs out at an application', () => {
    const signedIn = async (page: Page) => {
      const user = await newUser()
      await page.goto(place.shop.start())
      await fillSignIn(page, user)
      return { user, idToken: (await shownBy(page, place.shop)).idToken ?? '' }
    }
    const logout = (query: Readonly<Record<string, string>>) =>
      at(`/oauth2/end_session?${new URLSearchParams(query)}`)
    const ended = async (page: Page) => {
      await page.goto(place.blog.start({ prompt: 'none' }))
      return (await shownBy(page, place.blog)).error === 'login_required'
    }

    it('confirms it, and goes back to the application with its state', async () => {
      await place.visit(async ({ page }) => {
        const { user, idToken } = await signedIn(page)
        const query = {
          id_token_hint: idToken,
          post_logout_redirect_uri: place.shop.logoutUri,
          state: 'a&b=c d',
        }
        await page.goto(logout(query))
        expect(pathOf(page)).to.equal('/oauth2/end_session/confirm')
        expect(await page.locator('main').innerText()).to.include(user.email)
        await page.reload()
        await press(page, 'Sign out')
        expect(await shownBy(page, place.shop)).to.deep.equal({ state: 'a&b=c d' })
        expect(await heading(page)).to.equal('Bye')
        expect(await ended(page)).to.equal(true)
      })
    })

    it('stays signed in if the person wants that', async () => {
      await place.visit(async ({ page }) => {
        const { idToken } = await signedIn(page)
        await page.goto(logout({ id_token_hint: idToken, post_logout_redirect_uri: place.shop.logoutUri }))
        await follow(page, 'Stay signed in')
        expect(await heading(page)).to.equal('Your account')
        expect(await ended(page)).to.equal(false)
      })
    })

    it('leads to no address that is not of the application', async () => {
      await place.visit(async ({ page }) => {
        const { idToken } = await signedIn(page)
        await page.goto(logout({ id_token_hint: idToken, post_logout_redirect_uri: place.blog.logoutUri }))
        expect(await alert(page)).to.include('The application sent a wrong request')
        expect(await ended(page)).to.equal(false)
      })
    })

    it('goes back at once if nobody is signed in', async () => {
      await place.visit(async ({ page }) => {
        const query = {
          client_id: place.client.id,
          post_logout_redirect_uri: place.shop.logoutUri,
          state: 'a',
        }
        await page.goto(logout(query))
        expect(await shownBy(page, place.shop)).to.deep.equal({ state: 'a' })
        await page.goto(logout({}))
        expect(await notice(page)).to.equal('You are signed out.')
      })
    })

    it('goes back twice if the person presses the button in two tabs', async () => {
      await place.visit(async ({ page }) => {
        const { idToken } = await signedIn(page)
        const query = { id_token_hint: idToken, post_logout_redirect_uri: place.shop.logoutUri, state: 'a' }
        const other = await page.context().newPage()
        for (const one of [page, other]) await one.goto(logout(query))
        for (const one of [page, other]) {
          await press(one, 'Sign out')
          expect(await shownBy(one, place.shop)).to.deep.equal({ state: 'a' })
        }
      })
    })
  })
})
