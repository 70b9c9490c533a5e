import { expect } from 'chai'
import { append, aRefusal } from '../support/modelled-log.ts'
import { onSqlite } from '../support/one-store.ts'
import { startHere } from '../support/run-here.ts'
import { terminal } from '../support/terminal.ts'

onSqlite('a list on a terminal', (stores) => {
  const { portcullis, withStore, url, remove } = stores.workplace()
  const ids = { shop: '', desk: '', ada: '', gone: '' }
  before(async () => {
    const idOf = async (words: string) => JSON.parse((await portcullis(words, { input: 'secret' })).out).id
    ids.shop = await idOf('application create --name shop --json')
    ids.desk = await idOf('application create --name help-desk --json')
    ids.ada = await idOf('user create --email ada@example.com --password-stdin --json')
    ids.gone = await idOf('user create --email gone@example.com --password-stdin --json')
    await portcullis('user remove gone@example.com')
    await withStore((store) =>
      append(store, aRefusal('wrong_password', { user: ids.ada, application: ids.shop })),
    )
  })
  after(remove)

  /** The lines of a list, with names in place of ids and `now` in place of most times. */
  const lines = async (words: string) => {
    const environment = { DATABASE_URL: url() }
    const { status, out } = await startHere(words, { environment, isOutTerminal: true }).ended
    expect(status).to.equal(0)
    return out.split('\n').slice(0, -1)
  }

  it('begins with the names of its fields, and has aligned columns', async () => {
    const [header, ...users] = await lines('user list')
    expect(users).to.have.lengthOf(1)
    expect(header?.split(/ +/)).to.deep.equal([
      'id',
      'email',
      'email_verified',
      'status',
      'created_at',
      'has_password',
      'password_scheme',
      'roles',
    ])
    for (const [name, value] of [
      ['email', 'ada@'],
      ['email_verified', 'false'],
      ['status', 'enabled'],
    ] as const)
      expect(users[0]?.indexOf(value), name).to.equal(header?.search(new RegExp(`\\b${name}\\b`)))

    const [head = '', shop = '', desk = ''] = await lines('application list')
    expect([shop.indexOf('users:'), desk.indexOf('users:')]).to.deep.equal([
      head.indexOf('scope'),
      head.indexOf('scope'),
    ])
    expect(await lines('keys list')).to.deep.equal([])
  })

  it('has names beside the ids of the event log, none for a removed user', async () => {
    const [header = '', ...entries] = await lines('events list')
    expect(header.split(/ +/)).to.deep.equal([
      'position',
      'at',
      'type',
      'subject',
      'actor',
      'request_id',
      'data',
    ])
    const columns = entries.map((entry) => entry.split(/ {2,}/).slice(2, 6))
    expect(columns).to.deep.equal([
      ['ApplicationRegistered', `application ${ids.shop} shop`, 'operator', '-'],
      ['ApplicationRegistered', `application ${ids.desk} help-desk`, 'operator', '-'],
      ['UserRegistered', `user ${ids.ada} ada@example.com`, 'operator', '-'],
      ['UserRegistered', `user ${ids.gone}`, 'operator', '-'],
      ['UserRemoved', `user ${ids.gone}`, 'operator', '-'],
      ['SignInRefused', `user ${ids.ada} ada@example.com`, `application ${ids.shop} shop`, '-'],
    ])
    for (const entry of entries) expect(entry.indexOf('{')).to.equal(header.indexOf('data'))
  })

  it('is as elsewhere with --json', async () => {
    for (const words of ['user list', 'application list', 'events list', 'user history ada@example.com'])
      expect(await lines(`${words} --json`)).to.deep.equal(
        (await portcullis(`${words} --json`)).out.split('\n').slice(0, -1),
      )
  })

  it('shows a bar while a long log is read for the first time, which is then erased', async () => {
    const refusals = Array.from({ length: 20_000 }, () => aRefusal('unknown_email'))
    await withStore((store) => append(store, ...refusals))
    const { stream, written } = terminal()
    const environment = { DATABASE_URL: url(), READ_MODEL: `${url().slice('sqlite:'.length)}.another` }
    const { status } = await startHere('user history ada@example.com', { environment, terminal: stream })
      .ended
    expect(status).to.equal(0)
    expect(written()).to.match(/ 100% \| reading the log: 20006 of 20006/)
    expect(written().endsWith('\u001b[0J'), 'the bar is erased').to.equal(true)
  })
})
