import { expect } from 'chai'
import { type Dispatcher, request } from 'undici'
import type { Content } from '../../adapters/http/operation/response.ts'
import { type HttpService, httpService } from '../../adapters/http/service.ts'
import { capturedLog } from '../support/captured-log.ts'
import { plainRoute } from '../support/plain-route.ts'

const BYTES = Uint8Array.from({ length: 256 }, (_, byte) => byte)

/** Responses that are not JSON, and the bytes expected for each. */
const CONTENTS: Readonly<Record<string, Readonly<{ content: Content; bytes: Uint8Array }>>> = {
  '/page': { content: { type: 'text/html; charset=utf-8', data: '<p>né ☂' }, bytes: utf8('<p>né ☂') },
  '/text': { content: { type: 'text/plain; version=0.0.4', data: '<no html' }, bytes: utf8('<no html') },
  '/empty': { content: { type: 'text/css', data: '' }, bytes: utf8('') },
  '/bytes': { content: { type: 'image/x-icon', data: BYTES }, bytes: BYTES },
  '/part': { content: { type: 'font/woff2', data: BYTES.subarray(13, 37) }, bytes: BYTES.slice(13, 37) },
}

describe('a response that is not JSON', () => {
  let service: HttpService
  let baseUrl: string
  before(async () => {
    const routes = Object.entries(CONTENTS).map(([path, { content }]) =>
      plainRoute(path, { status: 200, headers: { 'X-Own': 'one' }, content }),
    )
    service = httpService({
      routes: () => routes,
      log: capturedLog().log,
      makeId: () => 'made',
      trustedProxies: 0,
    })
    baseUrl = `http://127.0.0.1:${await service.listen('127.0.0.1', 0)}`
  })
  after(() => service.stop())

  const ask = async (method: Dispatcher.HttpMethod, path: string) => {
    const { statusCode, headers, body } = await request(`${baseUrl}${path}`, { method })
    return { statusCode, headers, bytes: new Uint8Array(await body.arrayBuffer()) }
  }

  for (const [path, { content, bytes }] of Object.entries(CONTENTS)) {
    it(`${path}: has the type and bytes of its content, with the headers of every response`, async () => {
      const answer = await ask('GET', path)
      expect(answer.statusCode).to.equal(200)
      expect(answer.bytes).to.deep.equal(bytes)
      expect(answer.headers).to.include({
        'content-type': content.type,
        'content-length': String(bytes.length),
        'cache-control': 'no-store',
        'x-content-type-options': 'nosniff',
        'x-request-id': 'made',
        'x-own': 'one',
      })
    })

    it(`${path}: has the same headers for HEAD, without a body`, async () => {
      const { headers, bytes: none } = await ask('HEAD', path)
      expect(none).to.have.length(0)
      expect(headers).to.include({ 'content-type': content.type, 'content-length': String(bytes.length) })
    })
  }
})

function utf8(text: string): Uint8Array {
  return new Uint8Array(Buffer.from(text))
}
