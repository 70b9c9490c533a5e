import { expect } from 'chai'
import { type RunningService, startService } from '../support/running-service.ts'
import { scrape } from '../support/scrape.ts'

type LookUps = Readonly<Record<'application' | 'user', Readonly<{ hit: number; miss: number }>>>

const NONE: LookUps = { application: { hit: 0, miss: 0 }, user: { hit: 0, miss: 0 } }

/** Changes one letter in the middle: the token looks the same, and its signature is invalid. */
const forged = (token: string): string =>
  `${token.slice(0, 100)}${token[100] === 'A' ? 'B' : 'A'}${token.slice(101)}`

describe('the metrics of token lookups', () => {
  let running: RunningService
  let applicationToken: string
  let userToken: string
  beforeEach(async () => {
    running = await startService()
    applicationToken = await running.applicationToken()
    userToken = await running.userToken()
  })
  afterEach(() => running.stop())

  const lookUps = async (): Promise<LookUps> => {
    const { value } = await scrape(`http://127.0.0.1:${running.port}`)
    const of = (kind: string, result: string) =>
      value(`portcullis_token_cache_lookups_total{kind="${kind}",result="${result}"}`) ?? Number.NaN
    const both = (kind: string) => ({ hit: of(kind, 'hit'), miss: of(kind, 'miss') })
    return { application: both('application'), user: both('user') }
  }

  /** The series that count a request with this response. */
  const counted = async (path: string, token: string, status: number): Promise<LookUps> => {
    const before = await lookUps()
    const method = path.endsWith('/token') ? 'POST' : 'GET'
    expect((await running.send({ method, path, token, body: {} })).status).to.equal(status)
    const after = await lookUps()
    const grown = (kind: 'application' | 'user') => ({
      hit: after[kind].hit - before[kind].hit,
      miss: after[kind].miss - before[kind].miss,
    })
    return { application: grown('application'), user: grown('user') }
  }

  const PROFILE = '/api/v1/profile'
  const SIGN_IN = '/api/v1/auth/user/token'

  it('count a user token as new the first time and as known afterwards', async () => {
    expect(await counted(PROFILE, userToken, 200)).to.deep.equal({ ...NONE, user: { hit: 0, miss: 1 } })
    expect(await counted(PROFILE, userToken, 200)).to.deep.equal({ ...NONE, user: { hit: 1, miss: 0 } })
  })

  it('count an application token once, and not as an unknown user token', async () => {
    const fresh = await running.applicationToken()
    const seen = await counted(SIGN_IN, fresh, 422)
    expect(seen).to.deep.equal({ ...NONE, application: { hit: 0, miss: 1 } })
    const again = await counted(SIGN_IN, fresh, 422)
    expect(again).to.deep.equal({ ...NONE, application: { hit: 1, miss: 0 } })
  })

  it('count a forged token once, as the kind it imitates', async () => {
    const application = await counted(PROFILE, forged(applicationToken), 401)
    expect(application).to.deep.equal({ ...NONE, application: { hit: 0, miss: 1 } })
    const user = await counted(PROFILE, forged(userToken), 401)
    expect(user).to.deep.equal({ ...NONE, user: { hit: 0, miss: 1 } })
  })

  it('do not count a text with the form of neither kind', async () => {
    for (const token of ['nonsense', 'v2.public.a.b', 'a.b.c', 'V4.PUBLIC.a', 'sk_x'])
      expect(await counted(PROFILE, token, 401), token).to.deep.equal(NONE)
  })
})
