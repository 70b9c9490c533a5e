import { writeFileSync } from 'node:fs'
import { chromium } from 'playwright-core'
import { CHROMIUM, FLAGS } from '../support/browser.ts'
import { BROWSER, PICTURE, pictureOf, startSignInPage } from './sign-in-picture.ts'

/** Takes the picture of the sign-in page anew. `make picture` runs this. */
const { url, stop } = await startSignInPage()
const browser = await chromium.launch({ executablePath: CHROMIUM, args: [...FLAGS] })
writeFileSync(PICTURE, await pictureOf(await browser.newPage(BROWSER), url))
await browser.close()
await stop()
