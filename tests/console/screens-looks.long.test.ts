import { expect } from 'chai'
import type { Page } from 'playwright-core'
import { violations } from '../support/axe.ts'
import { describeInBrowser } from '../support/browser.ts'
import { FACTOR_SETTINGS } from '../support/factor-desk.ts'
import { OPERATOR } from '../support/operator.ts'
import { succeed } from '../support/outcome.ts'
import { CONTEXT } from '../support/request-context.ts'
import { enrolUser } from '../support/second-factors.ts'
import { type ScreensHere, startScreens } from './screens-here.ts'
import { attack, type Story, signIn, tell } from './screens-story.ts'

const WIDE = { width: 1280, height: 900 }
const NARROW = { width: 320, height: 640 }

/** As wide as names and e-mails can be. */
const LONG_NAME = 'W'.repeat(64)
const LONG_EMAIL = `${'w'.repeat(64)}@${'example.'.repeat(8)}com`
const LONG_URI = `https://shop.example/${'w'.repeat(491)}`

/** Every kind of page: its place, and its heading. */
const PAGES: ReadonlyArray<readonly [link: string, heading: string]> = [
  ['today', 'The last 24 hours'],
  ['today?day=2026-03-01', '2026-03-01'],
  ['people', 'People'],
  ['people?user=nobody%40example.com', 'People'],
  ['person?id=CAROL&done=disable', 'carol@example.com'],
  ['person?id=BOB', 'bob@example.com'],
  ['person?id=FAY', 'A removed user'],
  ['events', 'Events'],
  ['events?user=x&application=x&type=x&reason=x&since=x&until=x', 'Events'],
  ['applications?done=revoke', 'Applications'],
  ['nothing', 'There is no such page'],
]
const PAGES_THAT_WRITE: typeof PAGES = [
  ['person?id=CAROL', 'carol@example.com'],
  ['applications', 'Applications'],
  ['confirm?action=remove&id=CAROL', 'Remove permanently: carol@example.com?'],
  ['confirm?action=remove&id=FAY', 'Nothing to change'],
]

for (const [option, isWritable] of [
  ['without --write', false],
  ['with --write', true],
] as const)
  describeInBrowser(`the appearance of the console ${option}`, (visit) => {
    let here: ScreensHere
    let story: Story
    beforeEach(async () => {
      here = await startScreens({ isWritable, environment: FACTOR_SETTINGS })
      story = await tell(here)
      await attack(here, 5_000, story.carol)
      await succeed(
        here.service.registerApplication(CONTEXT, {
          name: LONG_NAME,
          scope: 'users:sign_in users:recover',
          redirectUris: [LONG_URI],
          logoutUris: [LONG_URI],
        }),
      )
      await succeed(
        here.service.registerUser(CONTEXT, { email: LONG_EMAIL, password: 'correct horse' }, OPERATOR),
      )
      await enrolUser(here.service.store, story.carol)
      await signIn(here, story.shop, 'carol@example.com')
    })
    afterEach(() => here.stop())

    const onEveryPage = async (
      options: NonNullable<Parameters<typeof visit>[2]>,
      check: (page: Page, link: string, heading: string) => Promise<void>,
    ): Promise<void> => {
      await visit(
        here.baseUrl,
        async ({ page }) => {
          await page.goto(here.openingUrl)
          await here.checked()
          for (const [link, heading] of isWritable ? PAGES_THAT_WRITE : PAGES) {
            const ids = { CAROL: story.carol, BOB: story.bob, FAY: story.fay }
            await page.goto(here.baseUrl + link.replace(/[A-Z]{3,}/, (name) => ids[name as keyof typeof ids]))
            await check(page, link, heading)
          }
        },
        options,
      )
    }

    for (const [colorScheme, viewport] of [
      ['light', WIDE],
      ['dark', WIDE],
      ['light', NARROW],
      ['dark', NARROW],
    ] as const)
      it(`has no accessibility violations in the ${colorScheme} scheme, ${viewport.width} pixels wide`, async () => {
        await onEveryPage({ colorScheme, viewport, javaScriptEnabled: true }, async (page, link) => {
          await page.evaluate('for (const one of document.querySelectorAll("details")) one.open = true')
          expect(await violations(page), link).to.deep.equal([])
          expect(await page.evaluate('document.documentElement.scrollWidth'), link).to.equal(viewport.width)
        })
      })

    it('has a title, a language, landmarks, one main heading, a skip link and a visible focus', async () => {
      await onEveryPage({}, async (page, link, heading) => {
        expect(await page.title(), link).to.equal(`${heading} – Portcullis console`)
        expect(await page.locator('html').getAttribute('lang'), link).to.equal('en')
        for (const landmark of ['banner', 'navigation', 'main'] as const)
          expect(await page.getByRole(landmark).count(), `${landmark} of ${link}`).to.equal(1)
        expect(await page.getByRole('heading', { level: 1 }).allInnerTexts(), link).to.deep.equal([heading])
        expect(await page.locator('[aria-current=page]').count(), link).to.be.at.most(1)
        await page.keyboard.press('Tab')
        const outline = 'getComputedStyle(document.activeElement).outline'
        expect(await page.evaluate<string>(outline), link).to.match(/solid 3px$/)
        await page.keyboard.press('Enter')
        expect(await page.evaluate('document.activeElement.id'), link).to.equal('main')
      })
    })

    if (!isWritable)
      it('shows the state of each user beside a long e-mail, on a phone', async () => {
        await visit(
          here.baseUrl,
          async ({ page }) => {
            await page.goto(here.openingUrl)
            await page.goto(`${here.baseUrl}people`)
            const box = await page.getByText('disabled', { exact: true }).last().boundingBox()
            expect((box?.x ?? NARROW.width) + (box?.width ?? 0)).to.be.at.most(NARROW.width)
          },
          { viewport: NARROW },
        )
      })
  })
