import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Dependency, provide } from 'portcullis'
import { startForTests } from 'portcullis/testing'
import { portcullis } from 'portcullis-client'

const noShopName = {
  name: 'shop-name',
  refusal: 'contains the name of our shop.',
  refuses: (password: string) => /otterworks/i.test(password),
}

test('a password must not contain the name of the shop', async (t) => {
  const service = await startForTests({
    settings: { THROTTLE_ACCOUNT_FAILURES: '3' },
    modules: [provide(Dependency.passwordRules, () => [noShopName])],
    scope: 'users:register',
    listen: true,
  })
  t.after(() => service.stop())
  const auth = portcullis({ url: service.url, ...service.application })
  const registered = await auth.registerUser({ email: 'bob@example.com', password: 'Otterworks1' })
  assert.equal(registered.ok ? undefined : registered.problems[0].reason, 'refused_by_rule')
})
