import { expect } from 'chai'
import type { Responder } from '../../adapters/http/operation/operation.ts'
import { ok } from '../../adapters/http/operation/response.ts'
import { type Route, withPrefix } from '../../adapters/http/operation/route.ts'
import { type HttpService, httpService } from '../../adapters/http/service.ts'
import { capturedLog } from '../support/captured-log.ts'
import { parseRaw, sendRaw } from '../support/raw-connection.ts'
import { requestText } from '../support/raw-text.ts'

/** Responds with its name and the rest of the path. */
const echo = (name: string): Responder => ({
  respond:
    ({ subpath }) =>
    async () =>
      ok({ name, subpath: subpath() }),
})

const ROUTES: ReadonlyArray<Route<Responder>> = withPrefix('/base', [
  { path: '/files/', isPrefix: true, methods: { GET: echo('file'), HEAD: echo('file') } },
  { path: '/files/list', methods: { GET: echo('list') } },
  { path: '/notes/', isPrefix: true, methods: { POST: echo('note') }, isPolled: true },
])

const NOT_FOUND = { success: false, code: 404, message: 'Unknown path.' }

describe('a route with a prefix', () => {
  const { log, lines } = capturedLog()
  const patterns: Array<string | undefined> = []
  let service: HttpService
  let port: number
  before(async () => {
    service = httpService({
      routes: () => ROUTES,
      log,
      makeId: () => 'made',
      trustedProxies: 0,
      observer: {
        within: (_request, _id, answer) => answer(),
        answered: ({ route }) => patterns.push(route),
        refused: () => {},
        connected: () => {},
        disconnected: () => {},
      },
    })
    port = await service.listen('127.0.0.1', 0)
  })
  after(() => service.stop())

  const ask = async (method: string, target: string) =>
    parseRaw(await sendRaw(port, Buffer.from(requestText(method, target), 'latin1')))

  for (const [target, subpath] of [
    ['/base/files/', ''],
    ['/base/files/a', 'a'],
    ['/base/files/a/b.c/d', 'a/b.c/d'],
    ['/base/files/list/', 'list/'],
    ['/base/files//a', '/a'],
    ['/base/files/../files/list', '../files/list'],
    ['/base/files/./a', './a'],
    ['/base/files/%61%2Fb%', '%61%2Fb%'],
    ['/base/files/a?b/c', 'a'],
    ['/base/files/{path}', '{path}'],
    ['/base/files/constructor', 'constructor'],
    ['http://elsewhere.test/base/files/a', 'a'],
  ] as const)
    it(`takes ${target}, and decodes nothing`, async () => {
      expect((await ask('GET', target)).body).to.deep.equal({ name: 'file', subpath })
    })

  for (const target of [
    '/base/files',
    '/files/a',
    '/base/Files/a',
    '/base//files/a',
    '/base/file%73/a',
    '/base/x/files/a',
    '/base/filesX/a',
  ])
    it(`does not take ${target}`, async () => {
      const answer = await ask('GET', target)
      expect([answer.status, answer.body]).to.deep.equal([404, NOT_FOUND])
    })

  it('leaves a literal path to its own route', async () => {
    expect((await ask('GET', '/base/files/list')).body).to.deep.equal({ name: 'list', subpath: '' })
  })

  it('refuses other methods, and lists its own', async () => {
    const { status, headers, body } = await ask('POST', '/base/files/a')
    expect([status, body.message]).to.deep.equal([405, 'This path does not take POST.'])
    expect(headers.allow).to.equal('GET, HEAD, OPTIONS')
    const options = await sendRaw(port, requestText('OPTIONS', '/base/notes/any'))
    expect(options).to.match(/^HTTP\/1\.1 204 /)
    expect(options).to.include('Allow: POST, OPTIONS\r\n')
  })

  it('has one pattern in logs and metrics for every path', async () => {
    const [lineBefore, patternBefore] = [lines.length, patterns.length]
    for (const target of ['/base/files/a', '/base/files/secret/b', '/base/files/list'])
      await ask('GET', target)
    await ask('PUT', '/base/files/secret')
    await ask('POST', '/base/notes/secret')
    await ask('GET', '/base/secret')
    const shown = patterns.slice(patternBefore)
    const written = lines.slice(lineBefore)
    expect(shown).to.deep.equal([
      '/base/files/{path}',
      '/base/files/{path}',
      '/base/files/list',
      '/base/files/{path}',
      '/base/notes/{path}',
      undefined,
    ])
    const levels = written.map((line) => [JSON.parse(line).level, JSON.parse(line).route])
    expect(levels).to.deep.equal(shown.map((route) => [route === '/base/notes/{path}' ? 20 : 30, route]))
    expect(written.join()).not.to.include('secret')
  })
})
