import { createHash } from 'node:crypto'
import { expect } from 'chai'
import { sendRaw } from '../support/raw-connection.ts'
import { answersIn, requestText } from '../support/raw-text.ts'
import { type RunningService, startService } from '../support/running-service.ts'
import { PUBLIC_URL } from '../support/settings.ts'

for (const prefix of ['', '/auth', '/a/b']) {
  describe(`the reference at ${prefix}/docs, over a real socket`, () => {
    let running: RunningService
    before(async () => {
      running = await startService({ PUBLIC_URL: `${PUBLIC_URL}${prefix}` })
    })
    after(() => running.stop())

    const ask = async (method: string, path: string) => {
      const [answer] = answersIn(await sendRaw(running.port, requestText(method, path)))
      if (answer === undefined) throw new Error('There is no answer.')
      return answer
    }
    it('is an uncached page with its own content security policy', async () => {
      const { status, headers, body } = await ask('GET', `${prefix}/docs`)
      expect(status).to.equal(200)
      const [, style = ''] = /<style>(.*?)<\/style>/s.exec(body) ?? []
      expect(style).to.include('{')
      const digest = createHash('sha256').update(style).digest('base64')
      expect(headers).to.include({
        'content-type': 'text/html; charset=utf-8',
        'cache-control': 'no-store',
        'content-security-policy': `default-src 'none'; style-src 'sha256-${digest}'; img-src data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`,
        'referrer-policy': 'no-referrer',
        'cross-origin-opener-policy': 'same-origin',
        'x-content-type-options': 'nosniff',
      })
      expect(headers).not.to.have.any.keys('set-cookie', 'access-control-allow-origin', 'etag')
    })

    it('has the same bytes in every response', async () => {
      const answers = await Promise.all(Array.from({ length: 5 }, () => ask('GET', `${prefix}/docs`)))
      expect(new Set(answers.map(({ body }) => body)).size).to.equal(1)
      expect(new Set(answers.map(({ headers }) => headers['content-security-policy'])).size).to.equal(1)
    })

    it('links to the OpenAPI document beside it and loads nothing else', async () => {
      const { body } = await ask('GET', `${prefix}/docs`)
      const links = [...body.matchAll(/ (?:href|src|action|style|on[a-z]+)="([^"#][^"]*)"/g)].map(
        ([, link]) => link ?? '',
      )
      const [icon, ...others] = links
      expect(icon).to.match(/^data:image\/svg\+xml,/)
      expect(new Set(others)).to.deep.equal(new Set(['openapi.json']))
      expect(body).not.to.match(/<(?:script|iframe|object|embed|form|base|img|meta http-equiv)/)
      expect((await ask('GET', `${prefix}/openapi.json`)).status).to.equal(200)
    })

    it('answers HEAD like GET, without the body', async () => {
      const get = await ask('GET', `${prefix}/docs`)
      const head = await sendRaw(running.port, requestText('HEAD', `${prefix}/docs`))
      expect(head).to.match(/^HTTP\/1\.1 200 /)
      expect(head.split('\r\n\r\n')[1]).to.equal('')
      for (const name of ['content-length', 'content-type', 'cache-control', 'referrer-policy'])
        expect(head.toLowerCase()).to.include(`${name}: ${get.headers[name]}`)
    })

    for (const method of ['GET', 'HEAD'])
      it(`is where ${method} ${prefix}/ leads, by a relative address`, async () => {
        const answer = await sendRaw(running.port, requestText(method, `${prefix}/?a=b`))
        expect(answer).to.match(/^HTTP\/1\.1 302 /)
        expect(answer).to.include('Location: docs\r\n')
        expect(answer).to.include('Content-Length: 0\r\n')
        expect(answer.split('\r\n\r\n')[1]).to.equal('')
        const leadsTo = new URL('docs', `http://127.0.0.1:${running.port}${prefix}/`)
        expect((await ask('GET', leadsTo.pathname)).status).to.equal(200)
      })
  })
}
