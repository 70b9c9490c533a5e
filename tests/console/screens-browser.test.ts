import { expect } from 'chai'
import type { Page } from 'playwright-core'
import { describeInBrowser } from '../support/browser.ts'
import { append, aRefusal } from '../support/modelled-log.ts'
import { type ScreensHere, startScreens } from './screens-here.ts'
import { type Story, tell } from './screens-story.ts'

describeInBrowser('the console in a browser without scripts, by keyboard only', (visit) => {
  let here: ScreensHere
  let story: Story
  beforeEach(async () => {
    here = await startScreens({ isWritable: true })
    story = await tell(here)
  })
  afterEach(() => here.stop())

  const heading = (page: Page): Promise<string> => page.locator('h1').innerText()
  const focused = (page: Page) => page.locator(':focus')

  /** Presses Tab until a link, a button or a summary with this text has the focus. */
  const goTo = async (page: Page, text: string): Promise<void> => {
    for (let tabs = 0; tabs < 200; tabs += 1) {
      await page.keyboard.press('Tab')
      if ((await focused(page).count()) > 0 && (await focused(page).innerText()) === text) return
    }
    throw new Error(`Tab does not reach ${text}`)
  }
  const follow = async (page: Page, text: string): Promise<void> => {
    await goTo(page, text)
    await Promise.all([page.waitForEvent('load'), page.keyboard.press('Enter')])
  }

  const inBrowser = (use: (page: Page) => Promise<void>) =>
    visit(
      here.baseUrl,
      async ({ page, requests, complaints }) => {
        await page.goto(here.openingUrl)
        await here.checked()
        await use(page)
        expect(complaints).to.deep.equal([])
        const elsewhere = requests.filter((url) => !url.startsWith(here.baseUrl) && !url.startsWith('data:'))
        expect(elsewhere).to.deep.equal([])
      },
      { javaScriptEnabled: false },
    )

  it('leads from Today to a user that signed in yesterday', async () => {
    await inBrowser(async (page) => {
      await follow(page, 'Yesterday')
      await goTo(page, 'The numbers')
      await page.keyboard.press('Enter')
      await follow(page, '2026-03-01 09:00')
      expect(await heading(page)).to.equal('Events')
      await follow(page, 'ada@example.com')
      expect(await heading(page)).to.equal('ada@example.com')
    })
  })

  it('finds a user, and disables it only after a question', async () => {
    await inBrowser(async (page) => {
      await follow(page, 'People')
      await page.keyboard.press('Tab')
      while ((await focused(page).getAttribute('name')) !== 'user') await page.keyboard.press('Tab')
      await page.keyboard.type('carol@example.com')
      await Promise.all([page.waitForEvent('load'), page.keyboard.press('Enter')])
      await follow(page, 'carol@example.com')
      await follow(page, 'Disable')
      await follow(page, 'Back, without a change')
      expect(await page.getByText('This user can sign in').count()).to.equal(1)
      await follow(page, 'Disable')
      expect(await heading(page)).to.equal('Disable: carol@example.com?')
      await follow(page, 'Disable')
      expect(await page.getByRole('status').innerText()).to.equal(
        'Disabled: sign-in is blocked, and all sessions have ended.',
      )
      expect(await page.getByText('This user cannot sign in.').count()).to.equal(1)
    })
  })

  it('shows events that happen while they are followed, until that is stopped', async () => {
    await inBrowser(async (page) => {
      await follow(page, 'Events')
      await follow(page, 'Follow new events')
      const before = await page.locator('tbody tr').count()
      await append(here.service.store, aRefusal('wrong_password', { user: story.ada }))
      await page.waitForURL(/refreshed=1/)
      expect(await page.locator('tbody tr').count()).to.equal(before + 1)
      await follow(page, 'Stop following')
      expect(await page.getByText('Follow new events').count()).to.equal(1)
    })
  })
})
