import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'
import { importLine } from '../support/import-file.ts'
import { onSqlite } from '../support/one-store.ts'

const ID = '0b8f6a5e-2f6c-4c5d-9a3e-1d2c3b4a5f60'
const NOTE =
  'Tokens keep the roles with which they were signed; a renewal signs these. To end all sessions: portcullis user end-sessions\n'
const UNVERIFIED =
  'The e-mail of this user is not confirmed. Another person may have registered it: check the id of the user.\n'
const TOO_MANY = 'A user can have at most 20 roles, with 512 characters in all. Nothing was changed.\n'

onSqlite('portcullis user roles', (stores) => {
  const { folder, portcullis, entries, remove } = stores.workplace()
  const other = stores.workplace()
  before(async () => {
    const ada = importLine('Ada@Example.com', { id: ID, roles: ['b', 'a', 'b'], status: 'disabled' })
    expect((await portcullis('user import -', { input: ada })).status).to.equal(0)
  })
  after(() => {
    remove()
    other.remove()
  })

  const roles = async () => JSON.parse((await portcullis(`user roles ${ID} --json`)).out).roles
  const changes = async () => (await entries('UserRolesChanged')).map(({ data }) => data.roles)

  it('prints the roles, and writes nothing', async () => {
    expect(await portcullis('user roles ADA@example.com')).to.deep.equal({
      status: 0,
      out: `id     ${ID}\nemail  Ada@Example.com\nroles  a b\n`,
      err: '',
    })
    expect(await changes(), 'that of the import').to.deep.equal([['a', 'b']])
  })

  it('adds and removes several, and prints all', async () => {
    const ended = await portcullis(`user roles ${ID} --add shop:admin --add c --remove a --remove b`)
    expect(ended).to.deep.equal({
      status: 0,
      out: `id     ${ID}\nemail  Ada@Example.com\nroles  c shop:admin\n`,
      err: NOTE + UNVERIFIED,
    })
    expect(await changes()).to.deep.equal([
      ['a', 'b'],
      ['c', 'shop:admin'],
    ])
    expect((await portcullis(`user roles ${ID} --remove x`)).err).to.equal(NOTE)
    const { out } = await portcullis(`user show ${ID} --json`)
    expect(JSON.parse(out)).to.deep.include({ roles: ['c', 'shop:admin'], status: 'disabled' })
    const history = await portcullis(`user history ${ID}`)
    expect(history.out).to.match(/roles: a, b by an operator\n.*\n?.*roles: c, shop:admin by an operator\n/)
  })

  it('refuses too many, and changes nothing', async () => {
    const many = Array.from({ length: 19 }, (_, index) => `--add r${index}`).join(' ')
    expect(await portcullis(`user roles ${ID} ${many}`)).to.deep.equal({ status: 1, out: '', err: TOO_MANY })
    expect(await roles()).to.deep.equal(['c', 'shop:admin'])
  })

  it('reports a user that does not exist', async () => {
    const { status, err } = await portcullis('user roles eve@example.com --add a')
    expect([status, err]).to.deep.equal([1, 'No user has this e-mail or id. See: portcullis user list\n'])
  })

  it('come back from an export, with the status', async () => {
    expect((await portcullis('user export users.jsonl')).status).to.equal(0)
    const exported = readFileSync(join(folder, 'users.jsonl'), 'utf8')
    expect(JSON.parse(exported)).to.deep.include({ roles: ['c', 'shop:admin'], status: 'disabled' })
    const imported = await other.portcullis('user import -', { input: exported })
    expect(imported, imported.err).to.include({ status: 0 })
    const shown = JSON.parse((await other.portcullis(`user show ${ID} --json`)).out)
    expect(shown).to.deep.include({ roles: ['c', 'shop:admin'], status: 'disabled' })
    expect((await other.entries('UserRolesChanged')).map(({ data }) => data)).to.deep.equal([
      { roles: ['c', 'shop:admin'] },
    ])
  })

  it('is reported by an import that cannot take them', async () => {
    const bad = [
      importLine('b@example.com', { roles: ['a b'] }),
      importLine('c@example.com', { roles: Array.from({ length: 21 }, (_, index) => `r${index}`) }),
    ]
    const { status, err } = await portcullis('user import -', { input: bad.join('') })
    expect(status).to.equal(1)
    expect(err)
      .to.include('Line 1: "roles" must be a list of roles')
      .and.include('Line 2: "roles" must have at most 20')
  })

  it('are erased with the user', async () => {
    await portcullis(`user remove ${ID}`)
    expect((await portcullis(`user roles ${ID}`)).status).to.equal(1)
    const { out } = await portcullis('doctor')
    expect(out).to.match(/^ok +log +\d+ entries and \d+ rows agree\./m)
  })
})
