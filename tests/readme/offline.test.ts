import { execFile } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'
import { ROOT } from '../architecture/root.ts'
import { apiClient } from '../support/api-client.ts'
import { workplace } from '../support/workplace.ts'
import { codeIn, partOf } from './page.ts'

const [script = ''] = codeIn(
  partOf(readFileSync(join(ROOT, 'docs/verify-tokens.md'), 'utf8'), '### A user token'),
  'js',
)

/** Runs the page's verify.mjs where the package is installed. */
const verify = (issuer: string, token: string): Promise<{ failed: boolean; out: string; err: string }> =>
  new Promise((resolve) => {
    const child = execFile(
      process.execPath,
      ['--input-type=module', '-', issuer, token],
      { cwd: ROOT, env: {} },
      (error, out, err) => resolve({ failed: error !== null, out, err }),
    )
    child.stdin?.end(script)
  })

describe('the verify.mjs of docs/verify-tokens.md', () => {
  const { portcullis, serve, remove } = workplace()
  after(remove)

  it('prints the user of a valid token, and fails for an invalid one', async () => {
    const server = await serve()
    const api = apiClient(server.url)
    const made = await portcullis('user create --email ada@example.com --password-stdin --json', {
      input: 'pw',
    })
    const keys = JSON.parse((await portcullis('application create --name shop --json')).out)
    const application = (await api.issueToken(keys)).body.token
    const { token } = (await api.signIn(application, 'ada@example.com', 'pw')).body

    expect(await verify(server.url, token)).to.deep.equal({
      failed: false,
      out: `${JSON.parse(made.out).id}\n`,
      err: '',
    })
    const forged = token.replace(/^v4\.public\.(.{20})./, (all: string, kept: string) =>
      all.endsWith('A') ? `v4.public.${kept}B` : `v4.public.${kept}A`,
    )
    const refused = await verify(server.url, forged)
    expect(refused).to.include({ failed: true, out: '' })
    expect(refused.err).to.include('ERR_PASETO_INVALID_TOKEN')
    const elsewhere = await verify(server.url.replace('127.0.0.1', '127.1'), token)
    expect(elsewhere, 'another issuer').to.include({ failed: true, out: '' })
    expect(elsewhere.err).to.include('ERR_PASETO_CLAIM_VALIDATION')

    await api.close()
    expect(await server.end()).to.equal(0)
  })
})
