import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { startForTests } from 'portcullis/testing'
import { portcullis } from 'portcullis-client'
import { accounts } from './accounts.ts'

const service = await startForTests()
after(() => service.stop())
const { email, password } = service.user
const product = accounts(portcullis({ url: service.url, ...service.application, fetch: service.fetch }))

const signIn = async (email: string, password: string): Promise<string> => {
  const signedIn = await product.signIn(email, password)
  if ('texts' in signedIn) throw new Error(JSON.stringify(signedIn.texts))
  return signedIn.value
}

test('signs a user in', async () => {
  assert.equal(await product.email(await signIn(email, password)), email)
})

test('refuses a wrong password', async () => {
  assert.deepEqual(await product.signIn(email, 'wrong'), { texts: { password: 'Please check this.' } })
})

test('asks for every empty field at once', async () => {
  const missing = 'Please fill this in.'
  assert.deepEqual(await product.signIn('', ''), { texts: { email: missing, password: missing } })
})

test('changes a password', async () => {
  await product.register('carol@example.com', 'one')
  const token = await signIn('carol@example.com', 'one')
  assert.deepEqual(await product.changePassword(token, 'one', 'two'), { value: true })
  await signIn('carol@example.com', 'two')
})
