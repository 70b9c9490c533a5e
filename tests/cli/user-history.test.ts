import { expect } from 'chai'
import { jsonLines } from '../support/json-lines.ts'
import { append, aRefusal } from '../support/modelled-log.ts'
import { onSqlite } from '../support/one-store.ts'
import { AT } from '../testkit/builders.ts'

onSqlite('portcullis user history', (stores) => {
  const { portcullis, withStore, remove } = stores.workplace()
  let ada = ''
  before(async () => {
    const shop = JSON.parse((await portcullis('application create --name shop --json')).out).id
    const environment = { OPERATOR: 'grace' }
    const create = 'user create --email ada@example.com --password-stdin --json'
    ada = JSON.parse((await portcullis(create, { input: 'secret', environment })).out).id
    await portcullis('user create --email bob@example.com --password-stdin', { input: 'secret' })
    await withStore((store) =>
      append(
        store,
        aRefusal('wrong_password', { user: ada, application: shop }),
        aRefusal('wrong_password', { user: ada, application: 'gone' }),
      ),
    )
    await portcullis('user disable ada@example.com')
  })
  after(remove)

  const history = async (words: string) => {
    const { status, out } = await portcullis(`user history ${words}`)
    expect(status).to.equal(0)
    return out.replaceAll(/\d{4}-\S+Z/g, (at) => (at === AT ? at : 'now'))
  }
  const LINES = [
    '2  now  registered by operator grace\n',
    `4  ${AT}  sign-in refused: wrong_password through shop\n`,
    `5  ${AT}  sign-in refused: wrong_password through gone\n`,
    '6  now  disabled by an operator\n',
  ]

  it('says what happened to the user, and only to this one', async () => {
    expect(await history('ada@example.com')).to.equal(LINES.join(''))
    expect(await history('bob@example.com')).to.equal('3  now  registered by an operator\n')
  })

  it('prints the entries with --json', async () => {
    const entries = jsonLines((await portcullis('user history ada@example.com --json')).out)
    expect(entries.map(({ position }) => position)).to.deep.equal([2, 4, 5, 6])
    expect(entries[0]).to.have.nested.property('subject.id', ada)
  })

  it('refuses an unknown user, and knows a removed one by its id', async () => {
    const unknown = await portcullis('user history eve@example.com')
    expect([unknown.status, unknown.out]).to.deep.equal([1, ''])
    expect(unknown.err).to.match(/^No user has this e-mail or id\./)
    await portcullis('user remove ada@example.com')
    expect(await history(ada)).to.equal([...LINES, '7  now  removed by an operator\n'].join(''))
    expect((await portcullis('user history ada@example.com')).status).to.equal(1)
  })
})
