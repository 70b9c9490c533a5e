import { expect } from 'chai'
import { type FrontEnd, startFrontEnd } from './bff-process.ts'

describe('the example front end', () => {
  let front: FrontEnd
  before(async () => {
    front = await startFrontEnd({ THROTTLE_ADDRESS_FAILURES: '3' })
  })
  after(async () => expect(await front.stop()).to.equal(0))

  const post = (
    form: string,
    fields: Readonly<Record<string, string>>,
    headers: Record<string, string> = {},
  ) =>
    fetch(`${front.url}/${form}`, {
      method: 'POST',
      redirect: 'manual',
      headers: { 'sec-fetch-site': 'same-origin', ...headers },
      body: new URLSearchParams(fields),
    })
  const credentials = () => ({ email: front.running.user.email, password: front.running.user.password })

  const SENDERS: ReadonlyArray<
    readonly [what: string, headers: () => Record<string, string>, status: number]
  > = [
    ['from the page', () => ({}), 303],
    ['from another origin of the same site', () => ({ 'sec-fetch-site': 'same-site' }), 403],
    ['from another site', () => ({ 'sec-fetch-site': 'cross-site' }), 403],
    ['typed by the user', () => ({ 'sec-fetch-site': 'none' }), 403],
    ['from an old browser on the page', () => ({ 'sec-fetch-site': '', origin: front.url }), 303],
    ['from an old browser elsewhere', () => ({ 'sec-fetch-site': '', origin: 'http://elsewhere.test' }), 403],
    ['without any origin', () => ({ 'sec-fetch-site': '' }), 403],
  ]
  for (const [what, headers, status] of SENDERS) {
    it(`answers a form ${what} with ${status}`, async () => {
      const answer = await post('sign_in', credentials(), headers())
      expect(answer.status).to.equal(status)
      expect(answer.headers.get('set-cookie') !== null).to.equal(status === 303)
    })
  }

  it('shows typed text as text, and only one that it may show again', async () => {
    const email = `"><script>alert('1')</script>@example.com`
    const answer = await post('register', { email, password: 'pass & word' })
    expect(answer.status).to.equal(422)
    const page = await answer.text()
    expect(page).to.include(
      'value="&#34;&#62;&#60;script&#62;alert(&#39;1&#39;)&#60;/script&#62;@example.com"',
    )
    expect(page).not.to.include('<script').and.not.to.include('pass &')
  })

  it('permits no script, no frame and no other resource', async () => {
    const { headers } = await fetch(`${front.url}/recovery?link=%22%3E%3Cscript%3E`)
    expect(Object.fromEntries(headers)).to.include({
      'content-security-policy':
        "default-src 'none'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'",
      'referrer-policy': 'same-origin',
      'cache-control': 'no-store',
      'x-content-type-options': 'nosniff',
    })
  })

  it('takes no cookie that it did not make, and not a changed one', async () => {
    const cookie = (await post('sign_in', credentials())).headers.get('set-cookie')?.split(';')[0] ?? ''
    const home = async (sent: string) => (await fetch(front.url, { headers: { cookie: sent } })).text()
    expect(await home(cookie)).to.include('You are signed in')
    const token = await front.running.userToken()
    for (const forged of [`__Host-session=${token}`, cookie.replace(/.{9}$/, 'AAAAAAAAA'), '__Host-session='])
      expect(await home(forged)).not.to.include('You are signed in')
  })

  it('passes the address of the browser on, and shows how long to wait', async () => {
    const statuses = []
    for (const name of ['a', 'b', 'c', 'd'])
      statuses.push((await post('sign_in', { email: `${name}@example.com`, password: 'wrong' })).status)
    expect(statuses).to.deep.equal([422, 422, 422, 429])
    const page = await (await post('sign_in', { email: 'e@example.com', password: 'wrong' })).text()
    expect(page).to.match(/Wait \d+ seconds\./)
  })
})
