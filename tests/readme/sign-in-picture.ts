import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { BrowserContextOptions, Page } from 'playwright-core'
import { startPages } from '../account-pages/pages-service.ts'
import { freePort } from '../support/command.ts'
import { FACTOR_SETTINGS } from '../support/factor-desk.ts'
import { mailLinkSettings } from '../support/mail-links.ts'

/** The picture of the sign-in page that README.md shows. */
export const PICTURE = 'docs/sign-in.png'

/** The browser that takes it: the whole page counts, so the window may be low. */
export const BROWSER: BrowserContextOptions = { viewport: { width: 560, height: 100 }, locale: 'en-GB' }

/** The service asks a provider nothing before a person presses its button. */
const PROVIDERS = [
  { name: 'google', issuer: 'https://accounts.google.com', client_id: 'x', client_secret: 'x' },
  { name: 'github', kind: 'github', client_id: 'x', client_secret: 'x' },
]

/** The sign-in page of a product that has switched on all that the page can show. */
export const startSignInPage = async (): Promise<Readonly<{ url: string; stop: () => Promise<void> }>> => {
  const folder = mkdtempSync(join(tmpdir(), 'sign-in-picture-'))
  const file = join(folder, 'identity-providers.json')
  writeFileSync(file, JSON.stringify(PROVIDERS))
  chmodSync(file, 0o600)
  const PORT = String(await freePort())
  const origin = `http://localhost:${PORT}`
  const running = await startPages({
    ...mailLinkSettings(),
    ...FACTOR_SETTINGS,
    PORT,
    PUBLIC_URL: origin,
    PASSKEY_RP_ID: 'localhost',
    PAGES_NAME: 'Otterworks',
    PAGES_REGISTRATION: 'on',
    IDENTITY_PROVIDERS_FILE: file,
  })
  return {
    url: `${origin}/account/sign-in`,
    stop: async () => {
      await running.stop()
      rmSync(folder, { recursive: true })
    },
  }
}

export const pictureOf = async (page: Page, url: string): Promise<Buffer> => {
  await page.goto(url)
  return page.screenshot({ fullPage: true })
}

/** The width and height of a PNG, in pixels (ISO/IEC 15948 §11.2.1). */
export const sizeOf = (png: Buffer): Readonly<{ width: number; height: number }> => {
  if (png.toString('latin1', 1, 4) !== 'PNG') throw new Error('this is no PNG')
  return { width: png.readUInt32BE(16), height: png.readUInt32BE(20) }
}
