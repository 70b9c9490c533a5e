import { readFileSync } from 'node:fs'
import { expect } from 'chai'
import { portcullis as connected } from '../../adapters/client/client.ts'
import { eventually } from '../support/eventually.ts'
import { startRelay } from '../support/mail-relay.ts'
import { workplace } from '../support/workplace.ts'
import { codeIn } from './page.ts'

const page = readFileSync('docs/mail.md', 'utf8')
const [settings = ''] = codeIn(page, 'sh')
const step = (number: number): string => new RegExp(`^${number}\\. .*`, 'm').exec(page)?.[0] ?? ''
const code = (text: string, beginning: string): string => text.split(`\`${beginning}`)[1]?.split('`')[0] ?? ''

describe('docs/mail.md, the try on a machine', () => {
  const { portcullis, serve, remove } = workplace()
  after(remove)

  it('brings a recovery mail from one call of the client to the mailbox, and its link sets a password', async () => {
    const relay = await startRelay()
    const pasted = settings
      .replace('what-openssl-rand-hex-32-has-printed', 'ab'.repeat(32))
      .replace('127.0.0.1:1025', `127.0.0.1:${relay.port}`)
    const lines = [...pasted.matchAll(/^([A-Z_]+)="?(.*?)"?$/gm)]
    expect(lines).to.have.lengthOf(6)
    const environment = Object.fromEntries(
      lines.map(([, name = '', value = '']): [string, string] => [name, value]),
    )
    const server = await serve('serve', environment)
    const made = await portcullis('application create --name shop --json', { environment })
    const keys = JSON.parse(made.out)
    await portcullis('user create --email ada@example.com --password-stdin', {
      environment,
      input: 'old password',
    })

    const tested = await portcullis(code(step(2), 'portcullis ').trim(), { environment })
    expect(tested.status, tested.err).to.equal(0)

    const auth = connected({
      url: server.url,
      publicApiKey: keys.public_api_key,
      privateApiKey: keys.private_api_key,
    })
    const call = code(step(3), 'await ')
    const asked = await new Function('auth', `return ${call}`)(auth)
    expect(asked.ok).to.equal(true)

    const letter = await eventually('the mail', async () => relay.taken[1])
    const link = new URL(/http:\/\/localhost:8080\/account\/recovery\?token=\S+/.exec(letter.text)?.[0] ?? '')
    const shown = await fetch(`${server.url}${link.pathname}${link.search}`)
    expect([letter.to, shown.status]).to.deep.equal([['ada@example.com'], 200])
    const password = 'nine purple otters sing'
    const form = new URLSearchParams({
      token: link.searchParams.get('token') ?? '',
      new_password: password,
      new_password_check: password,
    })
    const set = await fetch(`${server.url}/account/recovery`, {
      method: 'POST',
      body: form,
      redirect: 'manual',
    })
    expect(set.status).to.equal(303)
    expect((await auth.signIn({ email: 'ada@example.com', password })).ok).to.equal(true)
    expect(await server.end()).to.equal(0)
    await relay.stop()
  })
})
