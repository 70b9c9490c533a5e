import { expect } from 'chai'
import { succeed } from '../support/outcome.ts'
import { CONTEXT } from '../support/request-context.ts'
import { timed } from '../support/second-factor-service.ts'
import { type FrontEnd, startFrontEnd } from './bff-process.ts'

const HOUR_MS = 3_600_000

/** Short tokens. One application has remembered and ordinary sessions. */
const LIFETIMES = {
  USER_TOKEN_TTL: '600',
  SESSION_IDLE_TTL: String(12 * 3_600),
  SESSION_TTL: String(30 * 86_400),
  SESSION_REMEMBER_TTL: String(30 * 86_400),
}

describe('the sessions of the example front end', () => {
  let front: FrontEnd
  let time: { now: number }
  beforeEach(async () => {
    time = { now: Date.now() }
    front = await startFrontEnd(LIFETIMES, ...timed(time))
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
  const signIn = async (more: Readonly<Record<string, string>> = {}) => {
    const { email, password } = front.running.user
    const headers = { 'sec-fetch-site': 'same-origin' }
    const body = new URLSearchParams({ email, password, ...more })
    const answer = await fetch(`${front.url}/sign_in`, { method: 'POST', redirect: 'manual', headers, body })
    const [, age = ''] = /; Max-Age=(\d+)/.exec(answer.headers.getSetCookie()[0] ?? '') ?? []
    return { cookie: (await seen(answer)).cookies[0] ?? '', age: Number(age) }
  }
  const home = async (cookie: string) => seen(await fetch(front.url, { headers: { cookie } }))

  it('are renewed in the second half of the life of a token, and after it', async () => {
    const { cookie: first, age } = await signIn()
    expect(age).to.equal(12 * 3_600)
    passHours(4 / 60)
    expect((await home(first)).cookies).to.deep.equal([])
    passHours(2 / 60)
    const [second = '', ...others] = (await home(first)).cookies
    expect(second).to.match(/^__Host-session=./)
    expect(others).to.deep.equal([])

    passHours(11)
    for (const cookie of [first, second]) {
      const { page, cookies } = await home(cookie)
      expect(page, 'its token has expired').to.include('You are signed in')
      expect(page.match(/<li>/g)).to.have.lengthOf(1)
      expect(cookies).to.have.lengthOf(1)
    }
  })

  it('of users who want to be remembered live for 30 days, with tokens as short', async () => {
    const { cookie, age } = await signIn({ remember: '' })
    expect(age).to.equal(30 * 86_400)
    passHours(29 * 24)
    const { page, cookies } = await home(cookie)
    expect(page).to.include('You are signed in')
    expect(cookies).to.have.lengthOf(1)
    passHours(25)
    expect((await home(cookies[0] ?? '')).page).not.to.include('You are signed in')
  })

  it('end when the user was away for the life of a session', async () => {
    const { cookie } = await signIn()
    passHours(13)
    const { page, cookies } = await home(cookie)
    expect(page).not.to.include('You are signed in')
    expect(cookies).to.deep.equal([])
  })

  it('end with their cookie when they were ended elsewhere', async () => {
    const { cookie } = await signIn()
    await succeed(front.running.service.disableUser(CONTEXT, front.running.user.email))
    const { page, cookies } = await home(cookie)
    expect(page).not.to.include('You are signed in')
    expect(cookies).to.deep.equal(['__Host-session='])
  })

  it('outlive an outage of the service', async () => {
    const { cookie } = await signIn()
    passHours(1)
    await front.running.service.stop()
    const answer = await fetch(front.url, { headers: { cookie } })
    expect([answer.status, answer.headers.getSetCookie()]).to.deep.equal([503, []])
  })
})
