import { expect } from 'chai'
import { foreignRecords } from '../support/foreign-records.ts'
import { onSqlite } from '../support/one-store.ts'
import { aUser, change, registered } from '../testkit/builders.ts'
import { commitAll } from '../testkit/outcome.ts'

const INPUT = { input: 'secret' }

onSqlite('a store with password records of other systems', (stores) => {
  const { portcullis, serve, withStore, remove } = stores.workplace()
  after(remove)
  before(async () => {
    await portcullis('application create --name shop')
    for (const [index, { record, scheme }] of (await foreignRecords('secret')).entries()) {
      const user = aUser({
        email: `user${index}@example.com`,
        passwordRecord: record,
        passwordScheme: scheme,
      })
      await withStore((store) => commitAll(store, change(registered(user))))
    }
  })

  const passwords = async () => {
    const { checks } = JSON.parse((await portcullis('doctor --json')).out)
    return checks.find(({ name }: { name: string }) => name === 'passwords')
  }

  it('is ok for doctor, which counts the users of each scheme and says what to do', async () => {
    expect(await passwords()).to.deep.equal({
      name: 'passwords',
      ok: true,
      detail:
        '0 are up to date. 10 will be rehashed at the next sign-in. 10 of them came from another system. If such a user does not ' +
        'return, start a recovery or run user set-password. Schemes: argon2d:m=64,t=2,p=2 (1); argon2i:m=64,t=2,p=2 (1); ' +
        'argon2id:m=64,t=2,p=2 (1); bcrypt:4 (3); pbkdf2-sha1:10 (1); pbkdf2-sha256:10 (1); pbkdf2-sha512:10 (1); scrypt:4,2,1 (1).',
    })
  })

  it('can be served without a warning', async () => {
    const serving = await serve('serve')
    expect(await serving.end()).to.equal(0)
    expect(serving.printed()).not.to.include('Warning')
  })

  it('takes new passwords', async () => {
    const created = await portcullis('user create --email new@example.com --password-stdin', INPUT)
    expect(created.status, created.err).to.equal(0)
    const set = await portcullis('user set-password user0@example.com --password-stdin', INPUT)
    expect(set.status, set.err).to.equal(0)
    expect((await passwords()).detail).to.match(/^2 are up to date\. 9 will be .* 9 of them came/)
  })

  it('names the slowest scheme in doctor, and how long every failed sign-in takes because of it', async () => {
    const SLOW = '$pbkdf2-sha256$i=1000000$AAAAAAAAAAAAAAAAAAAAAA$AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA'
    const user = (email: string) =>
      aUser({ email, passwordRecord: SLOW, passwordScheme: 'pbkdf2-sha256:1000000' })
    await withStore((store) =>
      commitAll(store, change(registered(user('old@example.com')), registered(user('older@example.com')))),
    )
    const { ok, detail } = await passwords()
    expect(ok).to.equal(true)
    expect(detail).to.match(
      / The slowest scheme is pbkdf2-sha256:1000000, of 2 users\. Because of it, every failed sign-in takes at least [\d.]+ s\. This ends when these users have signed in or recovered\. Schemes: /,
    )
  })

  it('is refused by serve if a record is out of bounds', async () => {
    const user = aUser({ email: 'slow@example.com', passwordScheme: 'bcrypt:15' })
    await withStore((store) => commitAll(store, change(registered(user))))
    const { status, err } = await portcullis('serve')
    expect(status).to.equal(78)
    expect(err).to.include('"bcrypt:15"')
  })
})
