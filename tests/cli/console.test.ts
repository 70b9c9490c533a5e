import { expect } from 'chai'
import { httpClient } from '../support/http-client.ts'
import { onSqlite } from '../support/one-store.ts'

onSqlite('portcullis console', (stores) => {
  const { folder, portcullis, serve, asProcess, contents, entries, remove } = stores.workplace()
  let user: string
  before(async () => {
    const create = 'user create --email ada@example.com --password-stdin --json'
    user = JSON.parse((await portcullis(create, { input: 'x' })).out).id
  })
  after(remove)

  it('prints its URL on standard output only, and ends with 0 on Ctrl-C', async () => {
    const console = await asProcess.serve('console', {}, 'http://')
    const [, origin = '', path = '', secret = ''] =
      /^(http:\/\/127\.0\.0\.1:\d+)\/([\w-]{22})\/open\?secret=([\w-]{43})\n$/.exec(console.printed()) ?? []
    const { send, close } = httpClient(origin)
    const open = () => send({ method: 'GET', path: `/${path}/open?secret=${secret}` })
    const cookie = String((await open()).headers['set-cookie'])
    expect((await send({ method: 'GET', path: `/${path}/people`, headers: { cookie } })).body).to.include(
      'ada@example.com',
    )
    expect((await open()).status).to.equal(403)
    await close()
    expect(await console.end('SIGINT')).to.equal(0)
    expect(console.printed()).to.equal(`${origin}/${path}/open?secret=${secret}\n`)
    expect(console.logged().split('\n')).to.deep.equal([
      'Open this URL in a browser of this machine. It works once. The console changes nothing. Press Ctrl-C to stop it.',
      `From another machine: ssh -L ${origin.slice(17)}:127.0.0.1:${origin.slice(17)} HOST`,
      'The console was opened in a browser.',
      'Warning: the URL was opened again, elsewhere. That was refused. If the first browser was not yours, press Ctrl-C.',
      'The console has ended. Close its page.',
      '',
    ])
  })

  it('with --write refuses changes once a copy has closed its store, and goes on reading', async () => {
    const console = await serve('console --write', { OPERATOR: 'carol' }, 'http://')
    const { origin, href } = new URL(console.printed().trim())
    const { send, close } = httpClient(origin)
    const opened = await send({ method: 'GET', path: href.slice(origin.length) })
    const path = String(opened.headers.location).replace('/today', '')
    const cookie = String(opened.headers['set-cookie'])
    const change = (action: string) => {
      const form = { 'content-type': 'application/x-www-form-urlencoded' }
      const headers = { cookie, origin, 'sec-fetch-site': 'same-origin', ...form }
      return send({ method: 'POST', path: `${path}/change`, headers, body: `action=${action}&id=${user}` })
    }
    expect((await change('disable')).status).to.equal(303)
    expect((await entries('UserDisabled'))[0]?.actor).to.deep.equal({ kind: 'operator', id: 'carol' })

    expect((await portcullis(`store copy sqlite:${folder}/moved.db`)).status).to.equal(0)
    const before = await contents()
    const refused = await change('enable')
    expect(refused.status).to.equal(409)
    expect(refused.body).to.match(/The store takes no change.*moved.db/s)
    expect(await contents()).to.deep.equal(before)
    expect((await send({ method: 'GET', path: `${path}/people`, headers: { cookie } })).status).to.equal(200)
    await close()
    expect(await console.end()).to.equal(0)
    const again = await portcullis('console --write')
    expect([again.status, again.out]).to.deep.equal([1, ''])
  })
})
