import { expect } from 'chai'
import { onSqlite } from '../support/one-store.ts'

onSqlite('portcullis serve without the pepper of existing passwords', (stores) => {
  const { portcullis, serve, remove } = stores.workplace()
  after(remove)
  const environment = { PASSWORD_PEPPER: `kitchen:${'s'.repeat(32)}` }

  it('warns at its start, but not with the pepper', async () => {
    const input = 'secret'
    await portcullis('user create --email bob@example.com --password-stdin', { input })
    await portcullis('user create --email ada@example.com --password-stdin', { input, environment })

    const without = await serve('serve')
    await without.prints(
      'Warning: 1 of the first 2 users cannot sign in, because PASSWORD_PEPPER lacks the pepper',
    )
    expect(await without.end()).to.equal(0)

    const seasoned = await serve('serve', environment)
    expect(await seasoned.end()).to.equal(0)
    expect(seasoned.printed()).not.to.include('Warning')
  })
})
