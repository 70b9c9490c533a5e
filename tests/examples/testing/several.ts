import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startForTests } from 'portcullis/testing'
import { portcullis } from 'portcullis-client'

test('only the back office finds users', async (t) => {
  const service = await startForTests({
    scope: 'users:sign_in users:register',
    applications: { admin: { scope: 'users:read users:manage' } },
  })
  t.after(() => service.stop())
  const { url, fetch, user } = service
  const found = async (keys: typeof service.application) => {
    const page = await portcullis({ url, fetch, ...keys }).searchUsers({ emailPrefix: 'ada' })
    return page.ok && page.users.map(({ id }) => id)
  }
  assert.deepEqual(await found(service.applications.admin), [user.id])
  await assert.rejects(found(service.application), { name: 'RequestRefused', status: 403 })
})
