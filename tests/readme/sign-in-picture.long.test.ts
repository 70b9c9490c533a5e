import { readFileSync } from 'node:fs'
import { expect } from 'chai'
import { describeInBrowser } from '../support/browser.ts'
import { BROWSER, PICTURE, pictureOf, sizeOf, startSignInPage } from './sign-in-picture.ts'

describeInBrowser('the picture of the sign-in page', (visit) => {
  // Fonts differ between machines, so pixels do. A button more or less changes the height by 6 %.
  it('is as high as the page is now (if not: make picture)', async () => {
    const { url, stop } = await startSignInPage()
    await visit(
      url,
      async ({ page, complaints }) => {
        const now = sizeOf(await pictureOf(page, url))
        const shown = sizeOf(readFileSync(PICTURE))
        expect(shown.width).to.equal(now.width)
        expect(shown.height).to.be.closeTo(now.height, now.height * 0.04)
        expect(complaints).to.deep.equal([])
      },
      BROWSER,
    )
    await stop()
  })
})
