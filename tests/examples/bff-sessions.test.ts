import { expect } from 'chai'
import { timed } from '../support/second-factor-service.ts'
import { type FrontEnd, startFrontEnd } from './bff-process.ts'

const HOUR_MS = 3_600_000

describe('the sessions of the example front end', () => {
  let front: FrontEnd
  let time: { now: number }
  beforeEach(async () => {
    time = { now: Date.now() }
    front = await startFrontEnd({ SESSION_TTL: String(30 * 86_400) }, ...timed(time))
  })
  afterEach(async () => expect(await front.stop()).to.equal(0))

  const passHours = (hours: number): void => {
    time.now += hours * HOUR_MS
    front.shiftMs(time.now - Date.now())
  }
  /** The cookies of an answer, and its page. */
  const seen = async (answer: Response) => ({
    cookies: answer.headers.getSetCookie().map((cookie) => cookie.split(';')[0] ?? ''),
    page: await answer.text(),
  })
  const signIn = async (): Promise<string> => {
    const { email, password } = front.running.user
    const headers = { 'sec-fetch-site': 'same-origin' }
    const body = new URLSearchParams({ email, password })
    const answer = await fetch(`${front.url}/sign_in`, { method: 'POST', redirect: 'manual', headers, body })
    return (await seen(answer)).cookies[0] ?? ''
  }
  const home = async (cookie: string) => seen(await fetch(front.url, { headers: { cookie } }))

  it('are renewed when less than half of the token’s life is left', async () => {
    const first = await signIn()
    passHours(5)
    expect((await home(first)).cookies).to.deep.equal([])
    passHours(2)
    const [second = '', ...others] = (await home(first)).cookies
    expect(second).to.match(/^__Host-session=./)
    expect(others).to.deep.equal([])

    passHours(6)
    expect((await home(first)).page, 'its token has expired').to.include('You are signed in')
    const { page } = await home(second)
    expect(page).to.include('You are signed in')
    expect(page.match(/<li>/g)).to.have.lengthOf(1)
  })

  it('end when the user was away for the life of a session', async () => {
    const cookie = await signIn()
    passHours(13)
    const { page, cookies } = await home(cookie)
    expect(page).not.to.include('You are signed in')
    expect(cookies).to.deep.equal(['__Host-session='])
  })
})
