import { execFileSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { request } from 'node:http'
import { createServer, type Server } from 'node:https'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'chai'
import { needs } from '../faults/machine.ts'
import { describeInBrowser } from '../support/browser.ts'
import { type RunningService, startService } from '../support/running-service.ts'

describeInBrowser('the reference behind a proxy that terminates TLS', (visit) => {
  const folder = mkdtempSync(join(tmpdir(), 'portcullis-docs-'))
  let running: RunningService
  let proxy: Server
  let port: number
  before(async function () {
    needs(this, 'openssl', ['openssl', 'version'])
    running = await startService({ PUBLIC_URL: 'https://example.com/auth' })
    proxy = createServer(certificate(folder), (asked, answer) => {
      const { method, url: path, headers } = asked
      const handedOn = request({ port: running.port, method, path, headers }, (answered) => {
        answer.writeHead(answered.statusCode ?? 502, answered.headers)
        answered.pipe(answer)
      })
      asked.pipe(handedOn)
    })
    proxy.listen(0, '127.0.0.1')
    await once(proxy, 'listening')
    const address = proxy.address()
    port = typeof address === 'object' ? (address?.port ?? 0) : 0
  })
  after(async () => {
    proxy?.closeAllConnections() // undefined without openssl
    proxy?.close()
    await running?.stop()
    rmSync(folder, { recursive: true })
  })

  it('loads everything over TLS under its prefix and names the public address', async () => {
    const docs = `https://127.0.0.1:${port}/auth/docs`
    await visit(
      docs,
      async ({ page, requests, complaints }) => {
        await page.goto(docs.replace(/docs$/, ''))
        expect(page.url()).to.equal(docs)
        expect(await page.evaluate('document.styleSheets.length')).to.equal(1)
        expect(await page.locator('.curl').first().textContent()).to.include(
          "'https://example.com/auth/api/v1/",
        )
        await page.getByRole('link', { name: 'openapi.json' }).first().click()
        expect(page.url()).to.equal(`https://127.0.0.1:${port}/auth/openapi.json`)
        for (const url of requests.filter((one) => !one.startsWith('data:')))
          expect(url).to.match(new RegExp(`^https://127\\.0\\.0\\.1:${port}/auth/`))
        expect(complaints).to.deep.equal([])
      },
      { ignoreHTTPSErrors: true },
    )
  })
})

const certificate = (folder: string): Readonly<{ key: Buffer; cert: Buffer }> => {
  const [key, cert] = ['key.pem', 'cert.pem'].map((name) => join(folder, name)) as [string, string]
  const made = [
    '-nodes',
    '-newkey',
    'ec',
    '-pkeyopt',
    'ec_paramgen_curve:P-256',
    '-keyout',
    key,
    '-out',
    cert,
  ]
  execFileSync('openssl', ['req', '-x509', ...made, '-days', '1', '-subj', '/CN=127.0.0.1'], {
    stdio: 'ignore',
  })
  return { key: readFileSync(key), cert: readFileSync(cert) }
}
