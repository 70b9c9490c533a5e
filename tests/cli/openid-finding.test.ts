import { expect } from 'chai'
import { applicationsFinding } from '../../adapters/cli/applications-finding.ts'
import type { Application } from '../../domain/application.ts'
import { settings } from '../support/settings.ts'
import { anApplication } from '../testkit/builders.ts'

const ON = { OPENID: 'on', ACCOUNT_PAGES: 'on', KEY_ENCRYPTION_KEY: `k:${'a'.repeat(32)}` }
const shop = anApplication({ name: 'shop', redirectUris: ['https://shop.example.com/callback'] })

const detailOf = async (environment: Record<string, string>, applications: ReadonlyArray<Application>) => {
  const about = applicationsFinding({ settings: settings(environment) })
  about.take(applications)
  const [{ ok, detail } = { ok: false, detail: '' }] = await about.findings()
  expect(ok).to.equal(true)
  return detail
}

describe('doctor, about clients of the OpenID provider', () => {
  const CASES = [
    ['hints if the provider is on and there is none', ON, [anApplication()], 'Hint: OPENID=on, and no'],
    [
      'does not count a revoked one',
      ON,
      [anApplication({ ...shop, revoked: true })],
      'Hint: OPENID=on, and no application is a client',
    ],
    [
      'warns if the provider is off and there is one',
      {},
      [shop],
      `Warning: shop (${shop.id}) has redirect URIs, and OPENID is off, so`,
    ],
    [
      'names several in the plural',
      {},
      Array.from({ length: 7 }, (_, index) => anApplication({ ...shop, name: `shop ${index}` })),
      `shop 4 (${shop.id}), and 2 more have redirect URIs, and OPENID is off, so only identity providers use them. Set OPENID=on.`,
    ],
  ] as const
  for (const [title, environment, applications, text] of CASES)
    it(title, async () => {
      expect(await detailOf(environment, applications)).to.include(text)
    })

  it('says nothing if the provider is on and there is one, or if it is off and there is none', async () => {
    for (const detail of [await detailOf(ON, [shop]), await detailOf({}, [anApplication()])])
      expect(detail).not.to.match(/OPENID|redirect/)
  })
})
