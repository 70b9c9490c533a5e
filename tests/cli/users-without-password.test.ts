import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'
import { jsonLines } from '../support/json-lines.ts'
import { onSqlite } from '../support/one-store.ts'

const IDENTITIES = [
  { issuer: 'https://accounts.google.com', subject: '110169484474386276334', name: 'Google' },
  { issuer: 'https://github.com', subject: '583231', name: 'GitHub' },
]

onSqlite('portcullis with users who have no password', (stores) => {
  const { folder, portcullis, remove } = stores.workplace()
  const other = stores.workplace()
  after(() => {
    remove()
    other.remove()
  })

  const CREATE = 'user create --email'
  const checksOf = async (
    at: typeof portcullis,
  ): Promise<ReadonlyArray<{ name: string; ok: boolean; detail: string }>> =>
    JSON.parse((await at('doctor --json')).out).checks
  const detailOf = async (name: string): Promise<string> => {
    const check = (await checksOf(portcullis)).find((one) => one.name === name)
    expect(check?.ok).to.equal(true)
    return check?.detail ?? ''
  }

  it('registers them, and reads nothing from standard input', async () => {
    const { status, out, err } = await portcullis(`${CREATE} eve@example.com --no-password --json`)
    expect([status, err]).to.deep.equal([0, ''])
    expect(JSON.parse(out)).to.have.all.keys('id', 'email')
    const shown = JSON.parse((await portcullis('user show eve@example.com --json')).out)
    expect(shown).to.include({ has_password: false, password_scheme: null, email_verified: false })
  })

  for (const [what, options] of [
    ['neither option', ''],
    ['both', ' --no-password --password-stdin'],
  ] as const)
    it(`wants one of two options, and refuses ${what}`, async () => {
      const { status, err } = await portcullis(`${CREATE} bob@example.com${options}`, { input: 'p' })
      expect(status).to.equal(2)
      expect(err).to.include("name one of the options '--password-stdin' and '--no-password'")
    })

  it('checks the passwords of the others, and counts them apart', async () => {
    expect(await detailOf('passwords')).to.equal(
      '0 are up to date. 0 will be rehashed at the next sign-in. 1 have no password.',
    )
    await portcullis(`${CREATE} ada@example.com --password-stdin`, { input: 'p' })
    expect(await detailOf('passwords')).to.match(
      /^1 are up to date\. 0 will be rehashed at the next sign-in\. 1 have no password\. Schemes: scrypt \S+ \(1\)\.$/,
    )
  })

  it('exports and imports them, and counts them in a dry run too', async () => {
    const exported = await portcullis('user export users.jsonl --json')
    expect([exported.status, exported.err]).to.deep.equal([0, ''])
    const file = readFileSync(join(folder, 'users.jsonl'), 'utf8')
    const hashes = jsonLines(file).map(({ email, password_hash: hash }) => [email, hash === null])
    expect(hashes).to.deep.equal([
      ['eve@example.com', true],
      ['ada@example.com', false],
    ])
    await other.portcullis('application create --name shop')
    const bob = {
      email: 'bob@example.com',
      password_hash: null,
      email_verified: true,
      identities: IDENTITIES,
    }
    const lines = `{"email":"forgotten@example.com"}\n${JSON.stringify(bob)}\n`
    writeFileSync(join(other.folder, 'users.jsonl'), `${file}${lines}`)
    const counts = { lines: 4, imported: 3, known: 0, bad: 1, without_password: 2, identities: 2 }
    for (const options of [' --dry-run', '']) {
      const imported = await other.portcullis(`user import users.jsonl --json${options}`)
      expect(imported.status).to.equal(1)
      expect(JSON.parse(imported.out)).to.deep.equal(counts)
      expect(imported.err).to.include('Line 3: "password_hash" must be a text that is not empty, or null')
    }
    await other.portcullis('user export again.jsonl')
    const [, , back] = jsonLines(readFileSync(join(other.folder, 'again.jsonl'), 'utf8'))
    expect(back).to.include({ email: bob.email, password_hash: null })
    expect(back?.identities).to.have.deep.members(IDENTITIES)
    const shown = JSON.parse((await other.portcullis('user show eve@example.com --json')).out)
    expect(shown).to.include({ has_password: false })
    const wrong = (await checksOf(other.portcullis)).filter(({ ok }) => !ok).map(({ name }) => name)
    expect(wrong.filter((name) => ['log', 'passwords'].includes(name))).to.deep.equal([])
  })

  it('warns of applications that open accounts and can do more with them', async () => {
    const create = (scope: string) =>
      portcullis(['application', 'create', '--name', 'portal', '--json', '--scope', scope])
    const warning =
      'Warning: portal can open any account without a second factor in silence (users:vouch). Use a separate application for its other scopes on accounts.\n'
    for (const [scope, err] of [
      ['users:vouch users:sign_in users:register users:confirm_email', ''],
      ['users:vouch users:read', warning],
      ['users:vouch users:manage', warning],
      ['users:vouch users:recover', warning],
      ['users:vouch users:reset_factors', warning],
      ['users:vouch users:roles', warning],
    ] as const) {
      const created = await create(scope)
      expect([created.status, created.err], scope).to.deep.equal([0, err])
    }
    const detail = await detailOf('applications')
    expect(detail).to.match(/Warning: (?:portal \([\w-]+\)[, ]*){5} can open any account/)
    expect(detail).to.match(
      /Warning: portal \([\w-]+\) can claim every account whose e-mail is not confirmed, and keep it \(users:vouch and users:confirm_email\)\./,
    )
  })
})
