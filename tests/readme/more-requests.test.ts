import { execFile } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { promisify } from 'node:util'
import { expect } from 'chai'
import { type AccountDesk, openDesk } from '../support/account-desk.ts'
import { scopedToken } from '../support/scoped-token.ts'
import { codeIn, partOf } from './page.ts'

const partIn = (page: string, heading: string): string =>
  codeIn(partOf(readFileSync(`docs/${page}`, 'utf8'), heading), 'sh').join('\n')

const requests = partIn('clients.md', '## More requests').split('\n\n')
const manage = partIn('administration.md', '## 3. Manage a user')

describe('the other curl lines', () => {
  let desk: AccountDesk
  beforeEach(async () => {
    desk = await openDesk()
  })
  afterEach(() => desk.stop())

  /** The answer to a request of a page, sent with a real token. */
  const answerTo = async (request: string, variable: string, token: string): Promise<object> => {
    const real = request
      .replace('127.0.0.1:8080', `127.0.0.1:${desk.port}`)
      .replace('"PASSWORD"', JSON.stringify(desk.user.password))
      .replace('"USER_ID"', JSON.stringify(desk.user.id))
    const env = { ...process.env, [variable]: token }
    return JSON.parse((await promisify(execFile)('sh', ['-e', '-c', real], { env })).stdout)
  }

  it('of docs/clients.md answer what their comments say', async () => {
    const [register = '', signOut = '', remove = '', ...others] = requests
    expect(others).to.deep.equal([])
    const registered = await answerTo(register, 'APP_TOKEN', await scopedToken(desk, 'users:register'))
    expect({ ...registered, id: '…' }).to.deep.equal(said(register))
    for (const request of [signOut, remove])
      expect(await answerTo(request, 'USER_TOKEN', await desk.userToken())).to.deep.equal(said(request))
  })

  it('of docs/administration.md disables a user', async () => {
    const token = await scopedToken(desk, 'users:manage')
    expect(await answerTo(manage, 'TOKEN', token)).to.include({ success: true, code: 100 })
    expect((await desk.signIn(desk.user.password)).status).to.equal(422)
  })
})

/** The answer in the comment of a request. */
const said = (request: string): object => JSON.parse(/^# [^{]*(\{.*\})$/m.exec(request)?.[1] ?? 'null')
