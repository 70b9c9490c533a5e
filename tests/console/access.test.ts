import { expect } from 'chai'
import type { TestRequest } from '../support/http-client.ts'
import { onSqlite } from '../support/one-store.ts'
import { sendRaw } from '../support/raw-connection.ts'
import { userOf } from '../support/second-factors.ts'
import {
  ADA,
  type ConsoleHere,
  FORM,
  fromConsole,
  OPERATOR_NAME,
  SHOP,
  STORE_TEXT,
  startConsole,
} from './console-here.ts'

onSqlite('access to the console', (stores) => {
  let here: ConsoleHere
  beforeEach(async () => {
    here = await startConsole(await stores.fresh(), { write: true })
  })
  afterEach(async () => {
    await here.stop()
    expect(here.lines).not.to.deep.equal([])
    showsNothing(here.lines.join())
    expect(here.lines.join()).not.to.include('portcullis_console')
  })

  const showsNothing = (text: string) => {
    const { path, secret, user } = here
    for (const hidden of [path.slice(1), secret, STORE_TEXT, OPERATOR_NAME, ADA.email, user, SHOP.name])
      expect(text).not.to.include(hidden)
  }
  const get = (path: string, headers = {}) => here.send({ method: 'GET', path, headers })
  const statusOfAda = async () => (await userOf(here.operations.store, here.user)).status

  it('begins with the URL, which works once: it becomes a cookie for the path of the console', async () => {
    const { path, target, secret, openings } = here
    expect(`${path} ${secret}`).to.match(/^\/[\w-]{22} [\w-]{43}$/)
    const opened = await get(target)
    expect([opened.status, opened.headers.location]).to.deep.equal([303, `${path}/today`])
    const set = String(opened.headers['set-cookie'])
    const [cookie = ''] = /^portcullis_console=[\w-]{43}/.exec(set) ?? []
    expect(set).to.equal(`${cookie}; HttpOnly; SameSite=Strict; Path=${path}/`)
    expect(set).not.to.include(secret)

    const again = await get(target, { cookie })
    expect([again.status, again.headers.location]).to.deep.equal([303, `${path}/today`])
    expect(openings).to.deep.equal(['opened'])

    const other = await get(target)
    expect([other.status, again.headers['set-cookie'], other.headers['set-cookie']]).to.deep.equal([
      403,
      undefined,
      undefined,
    ])
    expect(other.body).to.include('This URL was used already')
    showsNothing(other.body)
    expect(openings).to.deep.equal(['opened', 'used'])
    expect((await get(`${path}/today`, { cookie })).status).to.equal(200)
  })

  const USES_NOTHING: Readonly<Record<string, (target: string) => Partial<TestRequest>>> = {
    'a wrong secret': (target) => ({ path: `${target.slice(0, -1)}!` }),
    'no secret': (target) => ({ path: target.replace(/\?.*/, '') }),
    'an empty secret': (target) => ({ path: target.replace(/=.*/, '=') }),
    'the secret below another path': (target) => ({ path: target.replace(/^\/./, '/~') }),
    'the secret in a form': (target) => ({
      method: 'POST',
      path: target.replace(/\?.*/, ''),
      body: target.replace(/.*\?/, ''),
      headers: FORM,
    }),
    'HEAD, as link checkers send it': () => ({ method: 'HEAD' }),
    'a prefetch': () => ({ headers: { 'sec-purpose': 'prefetch' } }),
    'a prerender': () => ({ headers: { 'sec-purpose': 'prefetch;prerender' } }),
    'another host': () => ({ headers: { host: 'rebound.example' } }),
  }
  it('does not begin with less than a visit to the URL, which then still works', async () => {
    for (const [name, given] of Object.entries(USES_NOTHING)) {
      const { status, headers } = await here.send({ method: 'GET', path: here.target, ...given(here.target) })
      expect(status, name).to.be.greaterThan(399)
      expect([headers['set-cookie'], ...here.openings], name).to.deep.equal([undefined])
    }
    expect((await (await here.open()).get('today')).status).to.equal(200)
  })

  for (const [site, status] of [
    ['none', 303],
    ['same-origin', 303],
    ['same-site', 200],
    ['cross-site', 200],
  ] as const)
    it(`answers ${status} if the URL was followed from a page whose Sec-Fetch-Site is ${site}`, async () => {
      const { status: answered, headers, body } = await get(here.target, { 'sec-fetch-site': site })
      expect([answered, String(headers['set-cookie']).split('=')[0]]).to.deep.equal([
        status,
        'portcullis_console',
      ])
      if (status === 200) expect(body).to.include('<a href="today">Go on</a>')
    })

  it('is refused without the cookie: each path gives the same page, which shows nothing of the store', async () => {
    const { path, secret, user, application } = here
    const [, value = ''] = (await here.open()).cookie.split('=')
    const below = [
      '',
      'today',
      `person?id=${user}`,
      'check',
      'change',
      'open',
      'people',
      'events',
      'applications',
      `confirm?action=rotate&id=${application}`,
      'unknown',
    ]
    const paths = [...below.map((name) => `${path}/${name}`), '/', '/today', path, `/.${path}/today`]
    const cookies = [
      '',
      `portcullis_console=${secret}`,
      `portcullis_console=${value}x`,
      `portcullis_console=${value.slice(0, -1)}`,
      `other=${value}`,
      `Portcullis_console=${value}`,
      'portcullis_console=',
    ]
    const bodies = new Set<string>()
    for (const [index, cookie] of cookies.entries())
      for (const target of index === 0 ? paths : paths.slice(0, 5))
        for (const method of ['GET', 'POST', 'HEAD']) {
          const headers = { ...fromConsole(here.origin), ...FORM, ...(cookie && { cookie }) }
          const body = method === 'POST' ? { body: `action=disable&id=${user}` } : {}
          const answer = await here.send({ method, path: target, headers, ...body })
          expect(answer.status, `${method} ${target} ${cookie}`).to.equal(403)
          expect(answer.headers).not.to.have.any.keys('set-cookie', 'location', 'refresh')
          if (method !== 'HEAD') bodies.add(answer.body)
        }
    expect(bodies.size).to.equal(1)
    showsNothing([...bodies].join())
    expect(await statusOfAda()).to.equal('enabled')
  })

  it('is not lost if pages on other ports set cookies of the same name', async () => {
    const { cookie, get: open } = await here.open()
    const foreign = Array.from({ length: 40 }, (_, index) => `portcullis_console=${'x'.repeat(43)}${index}`)
    for (const cookies of [
      [cookie, ...foreign],
      [...foreign, 'a=b', cookie, ...foreign],
    ])
      expect((await open('today', { cookie: cookies.join('; ') })).status).to.equal(200)
  })

  it('is refused for every other host name, with the cookie too: DNS rebinding shows and changes nothing', async () => {
    const { cookie, get: open } = await here.open()
    for (const name of ['127.0.0.1', 'localhost', 'LocalHost', '[::1]'])
      for (const port of ['', ':', ':9', `:${here.port}`])
        expect((await open('today', { host: `${name}${port}` })).status, `${name}${port}`).to.equal(200)

    const bodies = new Set<string>()
    for (const host of OTHER_HOSTS)
      for (const path of [`${here.path}/today`, `${here.path}/change`, here.target])
        for (const method of ['GET', 'POST']) {
          const headers = { cookie, host, ...fromConsole(`http://${host}`), ...FORM }
          const body = method === 'POST' ? { body: `action=disable&id=${here.user}` } : {}
          const answer = await here.send({ method, path, headers, ...body })
          expect(answer.status, `${method} ${host}`).to.equal(421)
          bodies.add(answer.body)
        }
    expect(bodies.size).to.equal(1)
    showsNothing([...bodies].join())
    expect(await statusOfAda()).to.equal('enabled')
  })

  it('is refused without a host name, which HTTP/1.0 permits, and with two', async () => {
    const { cookie } = await here.open()
    for (const [version, hosts, status] of [
      ['1.0', [], 421],
      ['1.0', [''], 421],
      ['1.0', ['rebound.example'], 421],
      ['1.0', ['127.0.0.1'], 200],
      ['1.1', [], 400],
      ['1.1', ['127.0.0.1', 'rebound.example'], 400],
    ] as const) {
      const lines = [
        ...hosts.map((host) => `Host: ${host}`),
        `Cookie: ${cookie}`,
        'Connection: close',
        '',
        '',
      ]
      const answer = await sendRaw(
        here.port,
        `GET ${here.path}/people HTTP/${version}\r\n${lines.join('\r\n')}`,
      )
      expect(answer.slice(0, 13), `HTTP/${version} ${hosts}`).to.equal(`HTTP/1.1 ${status} `)
      if (status !== 200) showsNothing(answer)
    }
  })
})

const OTHER_HOSTS = [
  ...[
    'rebound.example',
    'rebound.example:80',
    '127.0.0.1.',
    'localhost.',
    '127.0.0.1.rebound.example',
    ':80',
  ],
  ...[
    'localhost.rebound.example',
    'a.localhost',
    '127.0.0.2',
    '127.1',
    '2130706433',
    '0.0.0.0',
    '[::]',
    '[::ffff:127.0.0.1]',
  ],
]
