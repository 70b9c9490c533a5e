import { execFile } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { promisify } from 'node:util'
import { expect } from 'chai'
import { workplace } from '../support/workplace.ts'
import { codeIn, partOf } from './page.ts'

const [inReadme = ''] = codeIn(partOf(readFileSync('README.md', 'utf8'), '## Call it'), 'sh')

describe('the five curl lines', () => {
  const { portcullis, serve, remove } = workplace()
  after(remove)

  it('answer what their comments say', async () => {
    expect(inReadme.match(/^# \d\. /gm)).to.have.lengthOf(5)
    const server = await serve()
    const keys = JSON.parse((await portcullis('application create --name shop --json')).out)
    await portcullis('user create --email ada@example.com --password-stdin --json', { input: 'old password' })

    const REAL: Readonly<Record<string, string>> = {
      'http://127.0.0.1:8080': server.url,
      PUBLIC_API_KEY: keys.public_api_key,
      PRIVATE_API_KEY: keys.private_api_key,
      EMAIL: 'ada@example.com',
      PASSWORD: 'old password',
      NEW: 'new password',
    }
    const lines = inReadme.replaceAll(
      /http:\/\/127\.0\.0\.1:8080|"(PUBLIC_API_KEY|PRIVATE_API_KEY|EMAIL|PASSWORD|NEW)"/g,
      (all, word) => (word === undefined ? (REAL[all] ?? '') : JSON.stringify(REAL[word])),
    )
    const { stdout } = await promisify(execFile)('sh', ['-e', '-c', lines])

    const [profile, refused, changed] = stdout
      .split(/(?<=\})(?=\{"(?:email|success)")/)
      .map((one) => JSON.parse(one))
    expect(profile).to.include({ email: 'ada@example.com', email_verified: false })
    expect(refused.code).to.equal(422)
    expect(refused.errors.map(({ code }: { code: number }) => code)).to.deep.equal([2, 4, 5])
    expect(JSON.stringify(changed)).to.equal(/# 5\. one that succeeds: (.*)/.exec(lines)?.[1])
    expect(await server.end()).to.equal(0)
  })
})
