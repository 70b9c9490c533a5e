import { expect } from 'chai'
import { some } from 'fp-ts/lib/Option.js'
import { onSqlite } from '../support/one-store.ts'
import { succeed } from '../support/outcome.ts'
import { aUser, change, registered } from '../testkit/builders.ts'
import { commitAll } from '../testkit/outcome.ts'

const PEPPER = `kitchen:${'s'.repeat(32)}`
const INPUT = { input: 'secret' }

onSqlite('a store whose passwords another hasher made', (stores) => {
  const { portcullis, withStore, remove } = stores.workplace()
  after(remove)
  const ada = aUser({ email: 'ada@example.com', passwordScheme: 'argon2id m=47104' })
  before(async () => {
    await portcullis('application create --name shop')
    await withStore((store) => commitAll(store, change(registered(ada))))
  })

  const REFUSED =
    /The store has passwords of the scheme "argon2id m=47104", which these settings cannot verify\./

  for (const words of [
    'user set-password ada@example.com --password-stdin',
    'user create --email bob@example.com --password-stdin',
    'serve',
    'serve --first-run',
  ]) {
    it(`is not changed by ${words}, which names the scheme`, async () => {
      const { status, err } = await portcullis(words, INPUT)
      expect(status).to.equal(78)
      expect(err).to.match(REFUSED).and.include('name the module that provides it with --with')
      expect(await withStore((store) => succeed(store.findUserByEmail(ada.email)))).to.deep.equal(some(ada))
      expect(
        await withStore((store) => succeed(store.listPasswordSchemes({ after: '', limit: 100 }))),
      ).to.deep.equal(['argon2id m=47104'])
    })
  }

  it('is checked by doctor, which names the unreadable scheme', async () => {
    const { status, out } = await portcullis('doctor --json')
    expect(status).to.equal(1)
    const { checks } = JSON.parse(out)
    const found = checks.find(({ name }: { name: string }) => name === 'passwords')
    expect(found.ok).to.equal(false)
    expect(found.detail).to.include('name the module that provides it with --with.')
    expect(found.detail).to.include('Schemes: argon2id m=47104 (1, unreadable here).')
  })

  it('allows commands that write no password', async () => {
    expect(await portcullis('user disable ada@example.com')).to.have.property('status', 0)
    expect(await portcullis('user remove ada@example.com')).to.have.property('status', 0)
    expect(await portcullis('user create --email bob@example.com --password-stdin', INPUT)).to.have.property(
      'status',
      0,
    )
  })
})

onSqlite('a command without the pepper of existing passwords', (stores) => {
  const { portcullis, withStore, remove } = stores.workplace()
  after(remove)
  before(() =>
    portcullis('user create --email ada@example.com --password-stdin', {
      ...INPUT,
      environment: { PASSWORD_PEPPER: PEPPER },
    }),
  )

  it('writes no password, and names the pepper', async () => {
    const [scheme] = await withStore((store) => succeed(store.listPasswordSchemes({ after: '', limit: 100 })))
    expect(scheme).to.match(/^scrypt ln=\d+,r=\d+,p=\d+ pepper=kitchen$/)
    for (const words of ['user set-password ada@example.com', 'user create --email bob@example.com']) {
      const { status, err } = await portcullis(`${words} --password-stdin`, INPUT)
      expect(status).to.equal(78)
      expect(err).to.include(`"${scheme}"`).and.include('Add the pepper kitchen to PASSWORD_PEPPER')
    }
  })

  it('writes a password if the pepper follows a new one, and doctor counts both schemes', async () => {
    const environment = { PASSWORD_PEPPER: `new:${'n'.repeat(32)} ${PEPPER}` }
    const created = await portcullis('user create --email bob@example.com --password-stdin', {
      ...INPUT,
      environment,
    })
    expect(created.status).to.equal(0)
    const { out } = await portcullis('doctor --json', { environment })
    const { checks } = JSON.parse(out)
    const { detail } = checks.find(({ name }: { name: string }) => name === 'passwords')
    expect(detail).to.match(/Schemes: scrypt [^ ]+ pepper=kitchen \(1\); scrypt [^ ]+ pepper=new \(1\)\.$/)
  })

  it('accepts any secret under the id of a lost pepper', async () => {
    const environment = { PASSWORD_PEPPER: `new:${'n'.repeat(32)} kitchen:${'x'.repeat(32)}` }
    const words = 'user set-password ada@example.com --password-stdin'
    expect(await portcullis(words, { ...INPUT, environment })).to.have.property('status', 0)
    const schemes = await withStore((store) => succeed(store.listPasswordSchemes({ after: '', limit: 100 })))
    expect(schemes).to.have.lengthOf(1)
    expect(schemes[0]).to.match(/ pepper=new$/)
  })
})
