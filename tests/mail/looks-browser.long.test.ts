import { expect } from 'chai'
import { violations } from '../support/axe.ts'
import { describeInBrowser } from '../support/browser.ts'
import { writerOf } from './letters.ts'
import { MESSAGES } from './messages.ts'

/** Wider than any phone, in German, of a name that cannot break. */
const LONG_NAME = 'Wiederherstellungscodeverwaltungsgesellschaft'

describeInBrowser('a letter in a browser', (visit) => {
  const write = writerOf({ name: LONG_NAME })

  for (const colorScheme of ['light', 'dark'] as const)
    for (const width of [320, 800])
      it(`is accessible, fits, and asks for nothing at ${width} px in the ${colorScheme} scheme`, () =>
        visit(
          'http://127.0.0.1',
          async ({ page, requests, complaints }) => {
            for (const { message } of MESSAGES)
              for (const language of ['en', 'de']) {
                const { html } = write({ id: '1', to: 'ada@lovelace.example', wishes: [language], message })
                await page.setContent(html)
                expect(
                  await page.evaluate('document.documentElement.scrollWidth'),
                  message.kind,
                ).to.be.at.most(width)
                expect(await violations(page), message.kind).to.deep.equal([])
                const background = await page.evaluate(
                  'getComputedStyle(document.querySelector(".card")).backgroundColor',
                )
                expect(background).to.equal(
                  colorScheme === 'light' ? 'rgb(255, 255, 255)' : 'rgb(26, 29, 35)',
                )
              }
            expect({ requests, complaints }).to.deep.equal({ requests: [], complaints: [] })
          },
          { colorScheme, viewport: { width, height: 640 } },
        ))
})
