import { execFile } from 'node:child_process'
import { chmodSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect } from 'chai'
import { main } from '../support/command.ts'
import { workplace } from '../support/workplace.ts'
import { codeIn } from './page.ts'

const page = readFileSync('docs/oauth.md', 'utf8')

describe('the commands of docs/oauth.md', () => {
  const { folder, serve, remove } = workplace()
  after(remove)

  /** Runs a block as a shell would; `portcullis` is the command line under test there. */
  const paste = async (
    commands: string,
    environment: Readonly<Record<string, string>> = {},
  ): Promise<string> => {
    const command = join(folder, 'portcullis')
    writeFileSync(command, `#!/bin/sh\nexec "${process.execPath}" "${main}" "$@"\n`)
    chmodSync(command, 0o700)
    const env = { PATH: `${folder}:${process.env.PATH}`, ...environment }
    return (await promisify(execFile)('sh', ['-e', '-c', commands], { cwd: folder, env })).stdout
  }

  it('read the metadata, get a token with one scope, introspect it and revoke it', async () => {
    const server = await serve()
    const [create = '', use = ''] = codeIn(page, 'sh')
    const made = await paste(create)
    const [PUBLIC_API_KEY = ''] = /pk_[\w-]+/.exec(made) ?? []
    const [PRIVATE_API_KEY = ''] = /sk_\w+/.exec(made) ?? []
    expect(use).to.include('http://127.0.0.1:8080/')
    const said = await paste(`${use}echo; echo "$TOKEN"`.replaceAll('http://127.0.0.1:8080', server.url), {
      PUBLIC_API_KEY,
      PRIVATE_API_KEY,
    })
    // Nothing stands between the answers, nor is there a line feed behind one.
    const [metadata, worth, end, token] = said.trim().split(/(?<=\})(?=\{)|\n+/)
    expect(JSON.parse(metadata ?? '')).to.include({ issuer: server.url })
    expect(JSON.parse(worth ?? '')).to.include({ active: true, scope: 'users:register' })
    expect(JSON.parse(end ?? '')).to.deep.equal({ active: false })
    expect(token).to.match(/^[\w-]+\.[\w-]+\.[\w-]+$/)
    expect(await server.end()).to.equal(0)
  })

  it('name the additional path that a proxy must pass', async () => {
    const [location = ''] = codeIn(page, 'nginx')
    const [, path = ''] = /^location = (\S+) /.exec(location) ?? []
    const server = await serve('serve', { PUBLIC_URL: 'https://example.com/auth' })
    for (const one of [path, '/auth/.well-known/oauth-authorization-server']) {
      const answer = await fetch(`${server.url}${one}`)
      expect(await answer.json()).to.include({ issuer: 'https://example.com/auth' })
    }
    expect(await server.end()).to.equal(0)
  })
})
